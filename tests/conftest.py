"""What every test stands on."""

import pytest


@pytest.fixture(autouse=True, scope="session")
def digests_of_its_own(tmp_path_factory):
    """Keep the digests of made-up data out of the checkout's lock file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.digests.DIGESTS", tmp_path_factory.mktemp("digests") / "digests.json")
        yield

import pytest

from retable.training.schedules import fcsr_rates, learning_rates


def test_fcsr_rates_by_hand():  # FCSR eq. 16 with lr 0.01 and 40 epochs; the figures of docs/readings.md
    rates = fcsr_rates(0.01, 40)
    assert [float(f"{rate:.1e}") for rate in rates[:6]] == [1.0e-2, 8.0e-3, 5.7e-3, 3.6e-3, 2.0e-3, 1.0e-3]
    assert [float(f"{rate:.1e}") for rate in rates[9:11]] == [2.1e-5, 6.0e-6]


def test_fcsr_rate_is_recursive_as_printed():
    rates = fcsr_rates(0.01, 40)
    for epoch in range(39):
        assert rates[epoch + 1] == pytest.approx(0.8 * rates[epoch] * 0.01 ** ((epoch + 0.01) / 40.01))


def test_fcsr_rate_changes_only_between_epochs():
    rate = learning_rates("fcsr", 0.01, 40, 9)
    assert rate(0.0) == rate(0.99) == 0.01
    assert rate(1.0) == pytest.approx(0.8 * 0.01 * 0.01 ** (0.01 / 40.01))


def test_a_shorter_run_cuts_the_schedule_off():
    assert fcsr_rates(0.01, 40)[:5] != fcsr_rates(0.01, 5)[:5]
    rate = learning_rates("linear", 0.5, 10, 9)
    assert [rate(time) for time in (0.0, 5.0, 10.0)] == [0.5, 0.25, 0.0]


def test_constant_rate():
    assert learning_rates("constant", 0.3, 7, 9)(6.5) == 0.3


def test_steps_divide_by_ten_at_two_thirds_and_five_sixths():  # CSPAN section 3.2: epochs 20 and 25 of 30
    rate = learning_rates("steps", 1e-3, 30, 9)
    assert [rate(time) for time in (0.0, 19.99, 20.0, 24.99, 25.0, 29.9)] == pytest.approx(
        [1e-3] * 2 + [1e-4] * 2 + [1e-5] * 2
    )
    assert learning_rates("steps", 1e-3, 60, 9)(39.9) == pytest.approx(1e-3)  # a longer schedule has its steps later


def test_warmup_rises_during_the_first_epoch_and_stays():
    rate = learning_rates("warmup", 0.4, 10, 9)
    assert [rate(time) for time in (0.0, 0.25, 1.0, 1.5, 9.0)] == [0.0, 0.1, 0.4, 0.4, 0.4]


@pytest.mark.parametrize(
    ("batches", "halved_after"), [(55, 15_000), (938, 15_000), (5_000, 15_000), (10_938, 32_814), (28_125, 84_375)]
)  # SST-2's, AG's News', those of the source's epoch, Yahoo's, Amazon's
def test_halving_is_half_after_every_15000_batches_or_three_epochs_ten_times(batches, halved_after):
    rate = learning_rates("halving", 0.01, 60, batches)
    for times in (0, 1, 2, 9, 10, 11, 20):
        first, last = ((times * halved_after + step + 0.5) / batches for step in (0, halved_after - 1))
        assert rate(first) == rate(last) == 0.01 / 2 ** min(times, 10)

"""Texts that occur twice, exactly and nearly."""

import pytest

from mobilebert_tf.cli import comma_lists
from mobilebert_tf.errors import InputError


def test_names_lose_the_spaces_around_them_and_empty_ones_are_none():
    assert comma_lists.names(" int8 ,float 32,,") == ("int8", "float 32")
    assert comma_lists.names("") == ()
    assert comma_lists.names(None) is None


def test_numbers_are_whole():
    assert comma_lists.numbers("64, 128,", "--lengths") == (64, 128)
    assert comma_lists.numbers(None, "--lengths") is None
    for wrong in ("64,long", "6.5", "64;128"):
        with pytest.raises(InputError, match=f"^--depths should be whole numbers .*: {wrong}$"):
            comma_lists.numbers(wrong, "--depths")

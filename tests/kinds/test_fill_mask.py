"""Texts that fill-mask refuses."""

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary


@pytest.mark.parametrize(("text", "message"), [
    ("a good film", "the text 'a good film' has no .MASK. to fill"),
    ("a [MASK] film", "the text 'a .MASK. film' has 5 tokens, above the length of 4; shorten it")])
def test_a_text_that_cannot_be_filled_is_named(text, message):
    tokenizer = Tokenizer(Vocabulary([*SPECIAL_PIECES, "a", "good", "film"]), True)
    kind = FillMask()
    assert kind.rows(kind.examples([text.replace("good", "[MASK]")], [None]), tokenizer, 5).ids
    with pytest.raises(InputError, match=message):
        kind.rows(kind.examples([text], [None]), tokenizer, 4)

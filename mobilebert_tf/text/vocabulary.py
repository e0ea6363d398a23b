"""Vocabulary: the word pieces of a model, in the order of their ids."""

from mobilebert_tf import records
from mobilebert_tf.checks import check_path
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically

PAD, UNK, CLS, SEP, MASK = SPECIAL_PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


# Far above every vocabulary: one of 250,000 pieces has 3 MB.
_MOST_BYTES = 1 << 26


class Vocabulary:
    """The word pieces of a model; a piece's id is its position.

    It refuses pieces that shift ids or never match. Google's `load_vocab` strips every line and
    skips a repeated one, which shifts all ids after it.

    Args:
      pieces: str each, in the order of their ids; pieces inside a word start with "##".
      path: their file, for error messages; None if there is none.

    Attributes: `pieces` (tuple of str), `ids` (dict from piece to id), `path`, and the ids
      `pad_id`, `unk_id`, `cls_id`, `sep_id`, `mask_id`.

    Raises:
      InputError: for no pieces, an empty or repeated piece, a piece with a space, tab or carriage
        return, one with half a surrogate pair, or a missing special piece; names the piece and its
        line.

    Example:
      >>> vocabulary = Vocabulary(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"])
      >>> vocabulary.ids["a"], vocabulary.mask_id, len(vocabulary)
      (5, 4, 6)
    """

    def __init__(self, pieces, path=None):
        self.pieces = tuple(pieces)
        self.path = path
        name = "the vocabulary" if path is None else str(path)
        if not self.pieces:
            raise InputError(f"{name} is empty: a vocabulary holds one word piece per line")
        self.ids = {}
        for line, piece in enumerate(self.pieces, 1):
            if not piece:
                raise InputError(f"{name}, line {line} is empty: every line holds one word piece")
            if any(space in piece for space in " \t\r\n"):
                raise InputError(f"{name}, line {line}: the piece {piece!r} contains white space, "
                                 "so no text can match it")
            records.check_characters(f"{name}, line {line}", piece, piece)
            if piece in self.ids:
                raise InputError(f"{name}: the piece {piece!r} is on line {self.ids[piece] + 1} "
                                 f"and again on line {line}")
            self.ids[piece] = line - 1
        missing = [piece for piece in SPECIAL_PIECES if piece not in self.ids]
        if missing:
            raise InputError(f"{name} lacks the special pieces {', '.join(missing)}")
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = (
            self.ids[piece] for piece in SPECIAL_PIECES)

    @classmethod
    def load(cls, path):
        """Read a UTF-8 file of one piece per line; Windows line ends are accepted.

        Raises:
          InputError: for what is no path, a file that cannot be read, is larger than 64 MB or is
            not UTF-8, and as the class does.
        """
        check_path(path=path)
        try:
            with open(path, "rb") as file:
                content = file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot read the vocabulary {path}: {error.strerror}") from error
        if len(content) > _MOST_BYTES:
            raise InputError(f"{path} is larger than {_MOST_BYTES >> 20} MB, which no vocabulary "
                             "is: name the file of word pieces")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise InputError(f"{path}, line {line} is not UTF-8: byte "
                             f"0x{content[error.start]:02X}") from error
        if text.startswith("\ufeff"):
            raise InputError(f"{path} starts with a byte order mark, which would become part of "
                             "the first piece: save it as UTF-8 without one")
        # Not str.splitlines: a piece may be any character, U+2028 among them.
        lines = text.replace("\r\n", "\n").split("\n")
        if not lines[-1]:
            lines.pop()
        return cls(lines, path)

    def save(self, path):
        """Write the pieces, one per line; the file is whole or absent."""
        write_atomically(path, ("\n".join(self.pieces) + "\n").encode("utf-8"))

    def __len__(self):
        return len(self.pieces)

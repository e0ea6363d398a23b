"""Make the pictures of the web page beside this file, of those that `make web-test` leaves.

    python docs/pictures/web.py
"""

from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
TAKEN = REPOSITORY / "build" / "web_pictures"
COLOURS = 255


def read(name):
    return Image.open(TAKEN / f"{name}.png").convert("RGB")


def few_colours(picture):
    """Return a picture with few colours, which makes a third of the size and is hard to see."""
    return picture.quantize(COLOURS, kmeans=3, dither=Image.Dither.NONE)


def write(name, picture):
    few_colours(picture).save(HERE / f"{name}.png", optimize=True)


def beside(left, right):
    """Return two pictures in a row, the right one as high as the left one."""
    right = right.resize((right.width * left.height // right.height, left.height),
                         Image.Resampling.LANCZOS)
    row = Image.new("RGB", (left.width + right.width, left.height))
    row.paste(left, (0, 0))
    row.paste(right, (left.width, 0))
    return row


def main():
    write("web", beside(read("ask_desktop_light"), read("entities_phone_dark")))
    write("web_ask", read("ask_desktop_light"))
    write("web_search", read("search_desktop_dark"))
    write("web_classify", beside(read("classify_phone_light"), read("entities_phone_dark")))


if __name__ == "__main__":
    main()

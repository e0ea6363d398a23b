"""Tables for people, read again."""


def column(table, heading):
    return [row[table.headings.index(heading)] for row in table.rows]

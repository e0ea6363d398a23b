"""The systems of the field side by side: what their papers print, and our files measured."""

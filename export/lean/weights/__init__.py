"""The weights of a LeanModel: one frozen record for each of its parts."""

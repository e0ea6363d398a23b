"""What commands and library print: tables that fit, and what is being waited for."""

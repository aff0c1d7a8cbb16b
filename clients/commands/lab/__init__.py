"""Commands for those who measure and change riverboat."""

"""What the command line's commands do, over the composition root. One file a command."""

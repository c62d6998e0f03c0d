-- The configuration that the tests in a terminal use; the README shows the same.
vim.opt.swapfile = false
vim.opt.runtimepath:prepend(vim.env.STEERSMAN_PLUGIN)
require("steersman").setup({})
vim.opt.laststatus = 3
vim.opt.showmode = false
vim.opt.statusline = " %f %m%=%{v:lua.require'steersman'.statusline()} "

-- Steersman in Neovim 0.11 or newer without a plugin: put this into your init.lua.
vim.lsp.config("steersman", { cmd = { "steersman", "lsp" }, root_markers = { ".git" } })
vim.lsp.enable("steersman")
local function steersman(command, arguments)
  vim.lsp.get_clients({ name = "steersman" })[1]:exec_cmd({ command = command, arguments = { arguments } })
end
vim.api.nvim_create_user_command("Steersman", function(task)
  steersman("steersman.start", { prompt = task.args, continue = task.bang, context = { uri = vim.uri_from_bufnr(0) } })
end, { nargs = "+", bang = true })
vim.api.nvim_create_user_command("SteersmanStop", function()
  steersman("steersman.cancel", { force = false })
end, {})

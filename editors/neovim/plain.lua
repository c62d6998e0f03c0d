-- Steersman in Neovim 0.11 or newer without a plugin: put this into your init.lua.
vim.lsp.config("steersman", { cmd = { "steersman", "lsp" }, root_markers = { ".git" } })
vim.lsp.enable("steersman")
local function steersman(command, arguments, waits)
  local client = vim.lsp.get_clients({ name = "steersman" })[1]
  if client then
    client:exec_cmd({ command = command, arguments = { arguments } })
  elseif vim.fn.bufname() ~= "" and waits > 0 then -- its server is being started
    vim.defer_fn(function()
      steersman(command, arguments, waits - 1)
    end, 100)
  else
    vim.notify("Steersman is not attached here: open a file that has a file type first", vim.log.levels.WARN)
  end
end
vim.api.nvim_create_user_command("Steersman", function(task)
  local context = { uri = vim.uri_from_bufnr(0) }
  steersman("steersman.start", { prompt = task.args, continue = task.bang, context = context }, 50)
end, { nargs = "+", bang = true })
vim.api.nvim_create_user_command("SteersmanStop", function()
  steersman("steersman.cancel", { force = false }, 0)
end, {})

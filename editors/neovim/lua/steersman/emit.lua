--- Tells the rest of Neovim what happens: `User` autocommands, and a new look at the status line.

local M = {}

---@alias steersman.UserEvent
---| "SteersmanRunStarted" data: run_id, session_id, prompt
---| "SteersmanRunEnded" data: run_id, session_id, stop_reason (nil for a failure), error, result
---| "SteersmanQuestion" data: run_id, session_id, call_id, tool, title
---| "SteersmanQuestionClosed" data: run_id, session_id, call_id, decision
---| "SteersmanStatus" data: none; what `statusline()` returns has changed

---@param name steersman.UserEvent
---@param data? table<string, any>
function M.user(name, data)
  vim.api.nvim_exec_autocmds("User", { pattern = name, modeline = false, data = data })
end

--- The status changed.
function M.status()
  M.user("SteersmanStatus")
  vim.cmd.redrawstatus({ bang = true })
end

return M

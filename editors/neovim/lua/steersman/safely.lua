--- Calls what may fail, on behalf of somebody who has more to do: a state must come to its end, whatever else breaks.

local M = {}

--- Call; a failure is told in one line (more would hold Neovim up until a key is pressed), and goes no further.
---@param called fun(...)
---@param ... any
function M.call(called, ...)
  local ok, problem = xpcall(called, debug.traceback, ...)
  if not ok then
    vim.lsp.log.error("steersman", problem)
    vim.schedule(function()
      local first = vim.split(tostring(problem), "\n", { plain = true })[1]
      vim.notify("Steersman: " .. first, vim.log.levels.ERROR, { title = "Steersman" })
    end)
  end
end

return M

--- Asks by `vim.ui`, which anybody may have put something else in place of: one that fails counts as left, and only the
--- first answer counts.

local M = {}

---@param ask fun(...)
---@param given any[] what it is asked, without what takes the answer
---@param on_answer fun(...)
local function ask_once(ask, given, on_answer)
  local answered = false
  local function answer(...)
    if not answered then
      answered = true
      on_answer(...)
    end
  end
  given[#given + 1] = answer
  local ok, problem = pcall(ask, unpack(given))
  if not ok then
    vim.notify("Steersman: " .. tostring(problem), vim.log.levels.ERROR, { title = "Steersman" })
    answer(nil)
  end
end

--- As `vim.ui.select`.
---@generic T
---@param items T[]
---@param options table<string, any>
---@param on_choice fun(item?: T, number?: integer)
function M.select(items, options, on_choice)
  ask_once(vim.ui.select, { items, options }, on_choice)
end

--- As `vim.ui.input`.
---@param options table<string, any>
---@param on_confirm fun(input?: string)
function M.input(options, on_confirm)
  ask_once(vim.ui.input, { options }, on_confirm)
end

return M

--- What goes on, in a few words for a status line.

local M = {}

local MAX_CELLS = 60

--- Return it; "" when nothing goes on. Costs nothing while the plugin is not in use.
---@return string
function M.text()
  local runs, approval = package.loaded["steersman.runs"], package.loaded["steersman.approval"]
  if not runs then
    return ""
  end
  local text = require("steersman.text")
  local questions = approval and approval.questions() or {}
  local active = runs.active()
  local shown = ""
  if #questions > 0 then
    local icon = require("steersman.config").get().icons.question
    shown = ("Steersman %s %s"):format(icon, text.one_line(questions[1].params.title))
  elseif #active == 1 then
    shown = "Steersman: " .. text.one_line(active[1].activity)
  elseif #active > 1 then
    shown = ("Steersman: %d runs"):format(#active)
  end
  -- Titles are the model's words. Some status lines evaluate what is put into them, `%{…}` as well.
  return text.clip((shown:gsub("%%", "％")), MAX_CELLS)
end

return M

--- The lines of a conversation's parts. Makes text only; writes nothing.

local text = require("steersman.text")

local M = {}

local MAX_LINES = 300
local MAX_TITLE_CELLS = 120

--- Put lines between fences that none of them closes, the last ones left out when there are too many.
---@param lines string[]
---@param language? string
---@return string[]
function M.fenced(lines, language)
  local fence = "```"
  for _, line in ipairs(lines) do
    local run = line:match("^%s*(```+)")
    if run and #run >= #fence then
      fence = run .. "`"
    end
  end
  local shown = { fence .. (language or "") }
  vim.list_extend(shown, lines, 1, math.min(#lines, MAX_LINES))
  if #lines > MAX_LINES then
    shown[#shown + 1] = ("… (%s more)"):format(text.count(#lines - MAX_LINES, "line"))
  end
  shown[#shown + 1] = fence
  return shown
end

--- Take a user message apart: what the person wrote, and what the editor sent along.
---@param content string
---@return string prompt
---@return string? context
function M.split_context(content)
  local prompt, context = content:match("^(.-)\n\n<context>\n(.*)\n</context>$")
  return prompt or content, context
end

---@param prompt string
---@return string[]
function M.quoted(prompt)
  return vim.tbl_map(function(line)
    return line == "" and ">" or "> " .. line
  end, text.lines(text.visible(prompt)))
end

--- Read a call's arguments; nil when they are no JSON object.
---@param arguments string
---@return table<string, any>?
local function read(arguments)
  local ok, value = pcall(vim.json.decode, arguments)
  return ok and type(value) == "table" and value or nil
end

--- Return what a call is about, for its line: the tool, and what it is used on.
---@param tool string
---@param arguments string
---@return string
function M.call_title(tool, arguments)
  local values = read(arguments) or {}
  for _, name in ipairs({ "path", "command", "pattern" }) do
    if type(values[name]) == "string" then
      return M.title(tool .. " " .. values[name])
    end
  end
  return M.title(tool)
end

---@param title string
---@return string
function M.title(title)
  return text.clip(text.one_line(title), MAX_TITLE_CELLS)
end

--- Return a call's arguments: each name with its value, longer ones below.
---@param arguments string
---@return string[]
function M.arguments(arguments)
  local values = read(arguments)
  if not values then
    return M.fenced(text.lines(text.visible(arguments)))
  end
  local names = vim.tbl_keys(values)
  table.sort(names)
  local lines = {}
  for _, name in ipairs(names) do
    local value = values[name]
    local parts = text.lines(text.visible(type(value) == "string" and value or vim.json.encode(value)))
    if #parts == 1 then
      lines[#lines + 1] = ("%s: %s"):format(name, parts[1])
    else
      lines[#lines + 1] = name .. ":"
      for _, part in ipairs(parts) do
        lines[#lines + 1] = "  " .. part
      end
    end
  end
  return #lines > 0 and M.fenced(lines) or {}
end

--- Return the diffs of planned changes.
---@param changes { diff: string }[]
---@return string[]
function M.diff(changes)
  local lines = {}
  for _, change in ipairs(changes) do
    vim.list_extend(lines, text.lines((change.diff:gsub("\n$", ""))))
  end
  return M.fenced(lines, "diff")
end

--- Return how much changes add and remove, such as `+3 −1`.
---@param changes { added: integer, removed: integer }[]
---@return string
function M.size(changes)
  local added, removed = 0, 0
  for _, change in ipairs(changes) do
    added, removed = added + change.added, removed + change.removed
  end
  return ("+%d −%d"):format(added, removed)
end

---@type table<string, string>
M.endings = {
  complete = "complete",
  max_turns = "stopped: turn limit reached",
  aborted = "stopped",
  timeout = "stopped: time limit reached",
  budget = "stopped: budget used up",
  no_progress = "stopped: it went in circles",
  truncated = "cut off by the output limit",
}

--- Return how a run ended, on one line.
---@param event steersman.Event `run_ended`
---@return string
function M.ending(event)
  local result = type(event.result) == "table" and event.result or {}
  local failed = type(event.error) == "table"
  local parts = { failed and "failed: " .. event.error.message or M.endings[event.stopReason] or event.stopReason }
  if (result.turns or 0) > 0 then
    parts[#parts + 1] = text.count(result.turns, "turn")
  end
  if result.changes and #result.changes > 0 then
    parts[#parts + 1] = text.count(#result.changes, "file") .. " changed"
  end
  if result.usage and (result.usage.totalTokens or 0) > 0 then
    parts[#parts + 1] = text.count(result.usage.totalTokens, "token")
  end
  if type(result.cost) == "table" and result.cost.amount > 0 then
    parts[#parts + 1] = ("about $%.4f"):format(result.cost.amount)
  end
  return text.one_line(table.concat(parts, " · "))
end

return M

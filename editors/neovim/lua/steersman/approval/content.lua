--- What a question shows: who wants what, the answers there are, and the whole change or command. Makes text only.

local config = require("steersman.config")
local text = require("steersman.text")

local M = {}

---@class steersman.PlannedChange
---@field uri string
---@field kind string
---@field before? string
---@field after? string
---@field diff string
---@field added integer
---@field removed integer

---@class steersman.QuestionParams `steersman/requestApproval`
---@field runId string
---@field sessionId string
---@field callId string
---@field tool string
---@field title string
---@field changes steersman.PlannedChange[]
---@field command? string
---@field options { id: string, label: string }[]
---@field warning? string

---@class steersman.Answering one answer and its key
---@field key string
---@field id string
---@field label string

---@class steersman.QuestionContent
---@field title string
---@field lines string[]
---@field groups { line: integer, from: integer, to: integer, group: string }[]
---@field hunks integer[] lines that begin a hunk, from 1

--- Return the answers with their keys, the permissions first; an answer that is not known gets a number.
---@param params steersman.QuestionParams
---@return steersman.Answering[]
function M.answers(params)
  local keys = config.get().question.keys
  local order = { "save_and_allow", "allow_once", "allow_session", "allow_always", "reject" }
  local answers, number = {}, 0
  local function add(option, key)
    answers[#answers + 1] = { key = key, id = option.id, label = option.label }
  end
  for _, id in ipairs(order) do
    for _, option in ipairs(params.options) do
      if option.id == id then
        add(option, keys[id])
      end
    end
  end
  for _, option in ipairs(params.options) do
    if not vim.list_contains(order, option.id) then
      number = number + 1
      add(option, tostring(number))
    end
  end
  return answers
end

---@param value any
---@return boolean
local function given(value)
  return value ~= nil and value ~= vim.NIL and value ~= ""
end

---@param params steersman.QuestionParams
---@return string
local function heading(params)
  local size = ""
  if #params.changes > 0 then
    local added, removed = 0, 0
    for _, change in ipairs(params.changes) do
      added, removed = added + change.added, removed + change.removed
    end
    size = (" (+%d −%d)"):format(added, removed)
  end
  local deed = given(params.command) and "run a command" or text.one_line(params.title)
  return "Steersman wants to " .. deed .. size
end

---@type table<string, string>
local diff_groups = { ["+"] = "SteersmanAdded", ["-"] = "SteersmanRemoved", ["@"] = "SteersmanHunk" }

--- Return everything the window shows.
---@param params steersman.QuestionParams
---@return steersman.QuestionContent
function M.make(params)
  local content = { title = heading(params), lines = {}, groups = {}, hunks = {} }
  local function add(line, group, from, to)
    content.lines[#content.lines + 1] = line
    if group then
      table.insert(content.groups, { line = #content.lines, from = from or 0, to = to or #line, group = group })
    end
  end
  if given(params.warning) then
    for _, line in
      ipairs(text.lines(text.visible(params.warning --[[@as string]])))
    do
      add("! " .. line, "SteersmanWarning")
    end
    add("")
  end
  for _, answer in ipairs(M.answers(params)) do
    local reason = answer.id == "reject" and " (you may say why)" or ""
    add(("%s  %s%s"):format(answer.key, text.one_line(answer.label), reason), "SteersmanKey", 0, #answer.key)
  end
  add("")
  if given(params.command) then
    for _, line in
      ipairs(text.lines(text.visible(params.command --[[@as string]])))
    do
      add("$ " .. line, "SteersmanTool")
    end
  end
  for _, change in ipairs(params.changes) do
    for _, line in ipairs(text.lines(text.visible((change.diff:gsub("\n$", ""))))) do
      local first = line:sub(1, 1)
      local is_name = vim.startswith(line, "--- ") or vim.startswith(line, "+++ ")
      add(line, is_name and "SteersmanNote" or diff_groups[first])
      if vim.startswith(line, "@@") then
        table.insert(content.hunks, #content.lines)
      end
    end
  end
  return content
end

return M

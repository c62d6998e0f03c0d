--- The open questions of all runs: shown one at a time, answered once, closed when they are withdrawn.
--- Nothing but a key that names an answer is one: a window that is closed leaves its question open.

local config = require("steersman.config")
local emit = require("steersman.emit")
local safely = require("steersman.safely")

local M = {}

---@class steersman.Question
---@field params steersman.QuestionParams
---@field client_id integer
---@field resolve fun(answer: any) answers the server; only the first call counts
---@field shown? steersman.QuestionWindow

---@type steersman.Question[] oldest first
local open = {}

--- Where the cursor went back to when a question was answered in its window, until a key is typed. The next question
--- of the run may take it from there: the person is still answering.
---@type { run_id: string, window: integer }?
local answering

local namespace = vim.api.nvim_create_namespace("steersman.answering")

---@return steersman.Question[]
function M.questions()
  return open
end

---@param session_id string
---@return steersman.Question?
local function of_session(session_id)
  return vim.iter(open):find(function(question)
    return question.params.sessionId == session_id
  end)
end

---@param question steersman.Question
local function tell_conversation(question)
  local session_id = question.params.sessionId
  local conversation = require("steersman.conversation").of_session(session_id)
  if conversation then
    local next_one = of_session(session_id)
    conversation:set_question(next_one and next_one.params or nil)
  end
end

local function answering_ended()
  answering = nil
  vim.on_key(nil, namespace)
end

---@param run_id string
local function answering_began(run_id)
  answering = { run_id = run_id, window = vim.api.nvim_get_current_win() }
  vim.on_key(function(_, typed)
    if typed and typed ~= "" then
      answering_ended()
    end
  end, namespace)
end

--- Whether the cursor may go to a question without taking a key that was meant for something else.
---@param question steersman.Question
---@param at_once? boolean the question before it was answered in its window this very moment
---@return boolean
local function may_enter(question, at_once)
  local still_answering = at_once
    or answering and answering.run_id == question.params.runId and answering.window == vim.api.nvim_get_current_win()
  return config.get().question.focus == "conversation"
    and (still_answering or vim.bo.filetype == "steersman")
    and vim.api.nvim_get_mode().mode == "n"
end

---@param question steersman.Question
---@param answer table<string, any>|userdata
---@param decision string
local function close(question, answer, decision)
  local count = #open
  open = vim.tbl_filter(function(each)
    return each ~= question
  end, open)
  if #open == count then
    return -- answered already
  end
  local was_inside = false
  if question.shown then
    was_inside = vim.api.nvim_get_current_win() == question.shown.window
    safely.call(question.shown.close)
    if was_inside then
      answering_began(question.params.runId)
    end
  end
  question.resolve(answer)
  tell_conversation(question)
  emit.user("SteersmanQuestionClosed", {
    run_id = question.params.runId,
    session_id = question.params.sessionId,
    call_id = question.params.callId,
    decision = decision,
  })
  emit.status()
  if #open > 0 then
    safely.call(M.show, open[1], may_enter(open[1], was_inside), config.get().question.guard_ms)
  end
end

---@param question steersman.Question
---@param id string
local function answer(question, id)
  if id ~= "reject" then
    return close(question, { optionId = id }, id)
  end
  require("steersman.pick").input({ prompt = "Why not? (may stay empty) " }, function(reason)
    vim.api.nvim_echo({}, false, {}) -- the prompt would stay to be seen
    if reason then -- leaving the prompt is no answer
      close(question, { optionId = id, reason = reason ~= "" and reason or nil }, id)
    end
  end)
end

--- Show a question; go there when `enter`.
---@param question steersman.Question
---@param enter boolean
---@param guard_ms? integer answers do not count before this time; nil: the person goes there, so they count
function M.show(question, enter, guard_ms)
  if question.shown then
    if enter then
      vim.api.nvim_set_current_win(question.shown.window)
      question.shown.arm()
    end
    return
  end
  for _, other in ipairs(open) do
    if other.shown then
      other.shown.close()
    end
  end
  local window = require("steersman.approval.window")
  question.shown = window.open(question.params, enter, guard_ms, {
    answer = function(id)
      answer(question, id)
    end,
    later = function()
      if question.shown then
        question.shown.close()
      end
    end,
    stop = function()
      local runs = require("steersman.runs")
      local run = runs.get(question.params.runId)
      if run then
        runs.stop(run)
      end
    end,
    side_by_side = function()
      window.side_by_side(question.params)
    end,
    closed = function()
      question.shown = nil
    end,
  })
end

--- Go to the open question: of a session, or the oldest.
---@param session_id? string
function M.open(session_id)
  local question = session_id and of_session(session_id) or not session_id and open[1] or nil
  if question then
    M.show(question, true)
  else
    vim.notify("Steersman: no question is open here.", vim.log.levels.INFO, { title = "Steersman" })
  end
end

---@param params steersman.QuestionParams
---@param client_id integer
---@param resolve fun(answer: any)
local function add(params, client_id, resolve)
  M.withdraw(params.runId, params.callId, "withdrawn") -- asked anew: the change is another one now
  local question = { params = params, client_id = client_id, resolve = resolve }
  open[#open + 1] = question
  tell_conversation(question)
  emit.user("SteersmanQuestion", {
    run_id = params.runId,
    session_id = params.sessionId,
    call_id = params.callId,
    tool = params.tool,
    title = params.title,
  })
  emit.status()
  if not open[1].shown then
    safely.call(M.show, open[1], may_enter(open[1]), config.get().question.guard_ms)
  end
end

--- `steersman/requestApproval`: answers when a person has.
---@type lsp.Handler
function M.on_request(_, params, context)
  local thread = coroutine.running()
  local answered = false
  add(params, context.client_id, function(result)
    if not answered then
      answered = true
      vim.schedule(function() -- never before the yield below
        coroutine.resume(thread, result)
      end)
    end
  end)
  return coroutine.yield()
end

--- A question is not wanted any more (decided elsewhere, or its run has ended): close it without an answer.
---@param run_id string
---@param call_id? string nil: every question of the run
---@param decision string
function M.withdraw(run_id, call_id, decision)
  if not call_id and answering and answering.run_id == run_id then
    answering_ended()
  end
  for _, question in ipairs(vim.list_slice(open)) do
    local params = question.params
    if params.runId == run_id and (call_id == nil or call_id == params.callId) then
      close(question, vim.NIL, decision)
    end
  end
end

return M

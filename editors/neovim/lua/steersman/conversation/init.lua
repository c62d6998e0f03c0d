--- Conversations: one buffer a session, kept up with what its runs tell, and what a person does there.

local choices = require("steersman.choices")
local client = require("steersman.client")
local config = require("steersman.config")
local runs = require("steersman.runs")
local text = require("steersman.text")
local view = require("steersman.conversation.view")
local window = require("steersman.conversation.window")
local writer = require("steersman.conversation.writer")

local M = {}

---@class steersman.Conversation
---@field buf integer
---@field root string the workspace folder
---@field title string
---@field view steersman.View
---@field session_id? string nil until its first run has started
---@field client_id? integer
---@field run_id? string the run at work
---@field last_model? string
---@field draft string what was written and not sent
---@field is_asked boolean a question of its run is open
---@field private starting boolean
---@field private waiting string[] what was said while it was starting
local Conversation = {}
Conversation.__index = Conversation

---@type steersman.Conversation[] in the order they were used, the latest last
local all = {}

local numbered = 0

---@param conversation steersman.Conversation
local function touch(conversation)
  all = vim.tbl_filter(function(each)
    return each ~= conversation
  end, all)
  all[#all + 1] = conversation
end

---@param conversation steersman.Conversation
local function map_keys(conversation)
  local keys = config.get().conversation.keys
  local function map(key, what, action)
    vim.keymap.set("n", key, action, { buffer = conversation.buf, desc = "Steersman: " .. what, nowait = true })
  end
  map(keys.write, "answer, steer or begin", function()
    conversation:write()
  end)
  map(keys.stop, "stop the run", function()
    conversation:stop()
  end)
  map(keys.hide, "hide", function()
    window.close(conversation.buf)
  end)
  map(keys.question, "answer the question", function()
    require("steersman.approval").open(conversation.session_id)
  end)
  map(keys.rewind, "go back to an earlier message", function()
    require("steersman.rewind").choose(conversation)
  end)
  map(keys.help, "show the keys", function()
    require("steersman.conversation.help").show(conversation.buf)
  end)
  map("<Tab>", "open or close a fold", "za")
end

---@param buf integer
local function set_up_buffer(buf)
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      window.dress(vim.api.nvim_get_current_win())
    end,
  })
  vim.bo[buf].filetype = "steersman"
  vim.treesitter.language.register("markdown", "steersman")
  if not pcall(vim.treesitter.start, buf, "markdown") then
    vim.bo[buf].syntax = "markdown"
  end
end

--- Make an empty conversation.
---@param root string
---@param title string
---@return steersman.Conversation
function M.new(root, title)
  numbered = numbered + 1
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, ("steersman://conversation/%d"):format(numbered))
  local conversation = setmetatable({
    buf = buf,
    root = root,
    title = text.one_line(title),
    view = view.new(writer.new(buf)),
    draft = "",
    is_asked = false,
    starting = false,
    waiting = {},
  }, Conversation)
  set_up_buffer(buf)
  map_keys(conversation)
  vim.api.nvim_create_autocmd("BufEnter", {
    buffer = buf,
    callback = function()
      touch(conversation)
    end,
  })
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    once = true,
    callback = function()
      all = vim.tbl_filter(function(each)
        return each ~= conversation
      end, all)
    end,
  })
  touch(conversation)
  return conversation
end

---@param buf integer
---@return steersman.Conversation?
function M.of_buffer(buf)
  return vim.iter(all):find(function(each)
    return each.buf == buf
  end)
end

---@param session_id string
---@return steersman.Conversation?
function M.of_session(session_id)
  return vim.iter(all):find(function(each)
    return each.session_id == session_id
  end)
end

--- Return the conversation that a person means who names none: the one they are in, else the one used last.
---@return steersman.Conversation?
function M.current()
  return M.of_buffer(vim.api.nvim_get_current_buf()) or all[#all]
end

---@param session_id string
---@param client_id integer
function Conversation:bind(session_id, client_id)
  self.session_id, self.client_id = session_id, client_id
  runs.know(session_id)
end

---@return steersman.Run? the run at work
function Conversation:run()
  return self.run_id and runs.get(self.run_id) or nil
end

--- What goes on, for the window's bar.
---@return string
function Conversation:state()
  local run = self:run()
  if self.is_asked then
    return config.get().icons.question .. " your answer is wanted"
  elseif run then
    return ("%s · %s"):format(run.mode, (run.activity:gsub("^turn (%d+)/%d+ · ", "turn %1 · ")))
  elseif self.starting then
    return "starting"
  end
  local parts = { choices.mode(), choices.model() or self.last_model }
  return table.concat(vim.tbl_values(parts), " · ")
end

--- Show it.
---@param focus boolean
function Conversation:show(focus)
  window.open(self.buf, focus)
  touch(self)
end

function Conversation:hide()
  window.close(self.buf)
end

--- Say something into the run at work; it becomes the next task when the run has just ended.
---@param connected vim.lsp.Client
---@param written string
---@param context? steersman.Context
---@private
function Conversation:steer(connected, written, context)
  client.command(connected, "steer", { sessionId = self.session_id, text = written }, function(_, failure)
    if failure and failure.kind == "no_active_run" then
      self:start(written, context)
    elseif failure then
      client.report(failure)
    end
  end)
end

--- Say what a person wrote: into the run at work, or as the next task.
---@param written string
---@param context? steersman.Context
function Conversation:say(written, context)
  local run = self:run()
  local connected = run and client.by_id(run.client_id)
  if self.starting then
    table.insert(self.waiting, written)
  elseif connected then
    self:steer(connected, written, context)
  else
    self:start(written, context)
  end
end

---@param failure steersman.Failure
---@param written string
---@private
function Conversation:not_started(failure, written)
  self.starting = false
  self.draft = table.concat({ written, unpack(self.waiting) }, "\n")
  self.waiting = {}
  self.view:note("not started: " .. failure.message .. (failure.hint and " " .. failure.hint or ""), "SteersmanError")
  client.report(failure)
end

--- Another program holds the session: let the person take it from there, or leave it.
---@param failure steersman.Failure
---@param task string
---@param context? steersman.Context
---@private
function Conversation:offer_to_take_over(failure, task, context)
  vim.ui.select({ "Leave it there", "Take it over; that program writes nothing more in it" }, {
    prompt = failure.message,
    kind = "steersman_confirm",
  }, function(_, number)
    if number == 2 then
      self:start(task, context, true)
    else
      self:not_started(failure, task)
    end
  end)
end

--- Start a run with a task.
---@param task string
---@param context? steersman.Context
---@param take_over? boolean take the session from a program that holds it
function Conversation:start(task, context, take_over)
  self.starting = true
  client.ensure(self.root, function(connected, unavailable)
    if not connected then
      return self:not_started(unavailable --[[@as steersman.Failure]], task)
    end
    runs.start(connected, {
      prompt = task,
      sessionId = self.session_id,
      takeOver = take_over,
      context = context and require("steersman.context").params(context, connected.offset_encoding) or nil,
      mode = choices.mode(),
      model = choices.model(),
    }, function(started, failure)
      if failure and failure.kind == "session_locked" and self.session_id and not take_over then
        return self:offer_to_take_over(failure, task, context)
      end
      self.starting = false
      if started then
        self:bind(started.sessionId, connected.id)
        for _, written in ipairs(self.waiting) do
          self:steer(connected, written)
        end
        self.waiting = {}
      elseif failure then
        self:not_started(failure, task)
      end
    end)
  end)
end

--- Open a place to write in.
function Conversation:write()
  require("steersman.compose").open({
    title = self:run() and "Steer the run" or self.session_id and "Go on" or "New task",
    draft = self.draft,
    window = window.find(self.buf),
    on_send = function(written)
      self.draft = ""
      self:say(written)
    end,
    on_close = function(draft)
      self.draft = draft
    end,
  })
end

--- Stop the run at work.
function Conversation:stop()
  local run = self:run()
  if run then
    runs.stop(run)
  else
    vim.notify("Steersman: nothing is running here.", vim.log.levels.INFO, { title = "Steersman" })
  end
end

--- Show below the text that a question is open, or that none is.
---@param question? { title: string }
function Conversation:set_question(question)
  local icons, keys = config.get().icons, config.get().conversation.keys
  self.is_asked = question ~= nil
  self.view:set_footer(question and {
    { icons.question .. " " .. text.one_line(question.title) .. "  ", "SteersmanQuestion" },
    { keys.question, "SteersmanKey" },
    { " to answer", "SteersmanNote" },
  } or nil)
end

--- Replace what is shown by the session as it was kept.
---@param messages table[]
function Conversation:load(messages)
  self.view.writer:remove_tail(0)
  self.view = view.new(self.view.writer)
  self.view:history(messages)
end

--- Fetch the session from its server and show it anew.
---@param on_loaded? fun()
function Conversation:reload(on_loaded)
  client.ensure(self.root, function(connected, unavailable)
    if not connected then
      return client.report(unavailable --[[@as steersman.Failure]])
    end
    client.command(connected, "sessions.get", { sessionId = self.session_id }, function(result, failure)
      if not result then
        return client.report(failure --[[@as steersman.Failure]])
      end
      self:bind(result.session.id, connected.id)
      self.title = text.one_line(result.session.title)
      self.last_model = result.session.model
      self:load(result.messages)
      if on_loaded then
        on_loaded()
      end
    end)
  end)
end

---@type table<string, fun(conversation: steersman.Conversation, event: steersman.Event)>
local takers = {
  run_started = function(conversation, event)
    conversation.run_id = event.runId
    conversation.last_model = event.model
  end,
  user_message = function(conversation, event)
    conversation.view:user(event.text, event.steered)
  end,
  text_delta = function(conversation, event)
    conversation.view:say(event.text)
  end,
  reasoning_delta = function(conversation, event)
    conversation.view:think(event.text)
  end,
  stream_discarded = function(conversation, event)
    conversation.view:discard(event.reason)
  end,
  retry_waiting = function(conversation, event)
    local waits = ("%s; trying again in %d s (attempt %d)"):format(event.reason, event.seconds, event.attempt)
    conversation.view:note(waits)
  end,
  assistant_message = function(conversation, event)
    conversation.view:commit(event.content, event.truncated)
  end,
  tool_call = function(conversation, event)
    conversation.view:call(event.callId, event.tool, event.arguments)
  end,
  approval_requested = function(conversation, event)
    conversation.view:ask(event)
  end,
  approval_decided = function(conversation, event)
    conversation.view:decide(event)
  end,
  tool_started = function(conversation, event)
    conversation.view:start_tool(event)
  end,
  tool_output = function(conversation, event)
    conversation.view:output(event)
  end,
  tool_result = function(conversation, event)
    conversation.view:result(event.callId, event)
  end,
  context_trimmed = function(conversation, event)
    local left_out = text.count(event.messagesLeftOut, "earlier message")
    conversation.view:note(left_out .. " did not fit and are not sent to the model")
  end,
  warning = function(conversation, event)
    conversation.view:note(event.message, "SteersmanWarning")
  end,
  run_ended = function(conversation, event)
    conversation.run_id = nil
    conversation.view:finish(event)
    local undelivered = type(event.result) == "table" and event.result.undelivered or {}
    if #undelivered > 0 then
      conversation.draft = table.concat(undelivered, "\n")
      conversation.view:note("what you wrote last came too late; it is kept for your next message")
    end
  end,
}

--- Take in an event; a session that was started elsewhere (a code action, a lens) gets a conversation of its own.
---@param event steersman.Event
---@param client_id integer
function M.take(event, client_id)
  local conversation = M.of_session(event.sessionId)
  if not conversation then
    local connected = client.by_id(client_id)
    local prompt = event.type == "run_started" and event.prompt or "conversation"
    conversation = M.new(connected and connected.root_dir or vim.fn.getcwd(), text.lines(prompt)[1])
    conversation:bind(event.sessionId, client_id)
    if event.type ~= "run_started" then -- its buffer was deleted half-way
      conversation.run_id = runs.get(event.runId) and event.runId or nil
      return conversation:reload()
    end
    if config.get().conversation.open then
      conversation:show(false)
    end
  end
  local taker = takers[event.type]
  if taker then
    taker(conversation, event)
  end
end

return M

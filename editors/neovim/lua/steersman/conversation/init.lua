--- Conversations: one buffer a session, kept up with what its runs tell, and what a person does there.

local choices = require("steersman.choices")
local client = require("steersman.client")
local config = require("steersman.config")
local pick = require("steersman.pick")
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
---@field starting? steersman.Start the task that is being sent
---@field private waiting string[] what was said while it was starting
---@field private told string[] what the run at work was told, and has not come to yet
local Conversation = {}
Conversation.__index = Conversation

---@class steersman.Start a task on its way to the server
---@field task string

local MAX_TITLE_CELLS = 200

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
    title = text.clip(text.one_line(title), MAX_TITLE_CELLS),
    view = view.new(writer.new(buf)),
    draft = "",
    is_asked = false,
    waiting = {},
    told = {},
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
  local ok, problem = pcall(window.open, self.buf, focus) -- no room, or in the command-line window
  if not ok then
    vim.notify("Steersman: the conversation cannot be shown now: " .. tostring(problem), vim.log.levels.WARN)
  end
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
    if not failure then
      table.insert(self.told, written)
    elseif failure.kind == "no_active_run" then
      self:start(written, context)
    else
      self:keep(written)
      client.report(failure)
    end
  end)
end

--- Keep what was written for the next time that the person writes: before what they have begun meanwhile.
---@param written string
function Conversation:keep(written)
  local both = written ~= "" and self.draft ~= ""
  self.draft = written .. (both and "\n" or "") .. self.draft
end

---@return boolean its buffer was deleted
function Conversation:is_gone()
  return not vim.api.nvim_buf_is_loaded(self.buf)
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

--- The task was not taken: it is a draft again, with what was said after it.
---@param failure steersman.Failure
---@param written string
---@private
function Conversation:not_started(failure, written)
  self.starting = nil
  self:keep(table.concat({ written, unpack(self.waiting) }, "\n"))
  self.waiting = {}
  if not self:is_gone() then
    local why = failure.message .. (failure.hint and " " .. failure.hint or "")
    self.view:note("not started: " .. why, "SteersmanError")
  end
end

--- Another program holds the session: let the person take it from there, or leave it. (Should they never say, nothing
--- waits for it: the task is a draft.)
---@param failure steersman.Failure
---@param task string
---@param context? steersman.Context
---@private
function Conversation:offer_to_take_over(failure, task, context)
  local before = self.draft
  local said = table.concat({ task, unpack(self.waiting) }, "\n")
  self:not_started(failure, task)
  local kept = self.draft
  pick.select({ "Leave it there", "Take it over; that program writes nothing more in it" }, {
    prompt = failure.message,
    kind = "steersman_confirm",
  }, function(_, number)
    if number ~= 2 then
      client.report(failure)
    elseif self.draft == kept and not self.starting and not self:run() then
      self.draft = before
      self:start(said, context, true)
    end
  end)
end

--- Start a run with a task.
---@param task string
---@param context? steersman.Context
---@param take_over? boolean take the session from a program that holds it
function Conversation:start(task, context, take_over)
  local start = { task = task }
  self.starting = start
  client.ensure(self.root, function(connected, unavailable)
    if self.starting ~= start then
      return -- the person did not want to wait for the server
    elseif not connected then
      self:not_started(unavailable --[[@as steersman.Failure]], task)
      return client.report(unavailable --[[@as steersman.Failure]])
    end
    runs.start(connected, {
      prompt = task,
      sessionId = self.session_id,
      takeOver = take_over,
      context = context and require("steersman.context").params(context, connected.offset_encoding) or nil,
      mode = choices.mode(),
      model = choices.model(),
    }, function(started, failure)
      self:answered(start, connected, started, failure, context)
    end)
  end)
end

--- The server has answered whether it took a task.
---@param start steersman.Start
---@param connected vim.lsp.Client
---@param started? { sessionId: string, runId: string }
---@param failure? steersman.Failure
---@param context? steersman.Context
---@private
function Conversation:answered(start, connected, started, failure, context)
  if self.starting ~= start then -- stopped while nobody knew its run
    if started then
      client.command(connected, "cancel", { runId = started.runId })
    end
  elseif started then
    self.starting = nil
    self:bind(started.sessionId, connected.id)
    for _, written in ipairs(self.waiting) do
      self:steer(connected, written)
    end
    self.waiting = {}
  elseif failure and failure.kind == "session_locked" and self.session_id then
    self:offer_to_take_over(failure, start.task, context)
  elseif failure then
    self:not_started(failure, start.task)
    client.report(failure)
  end
end

--- Open a place to write in.
function Conversation:write()
  local draft = self.draft
  self.draft = "" -- it is in the window now
  require("steersman.compose").open({
    title = self:run() and "Steer the run" or self.session_id and "Go on" or "New task",
    draft = draft,
    window = window.find(self.buf),
    on_send = function(written)
      self:say(written)
    end,
    on_close = function(unsent)
      self:keep(unsent)
    end,
  })
end

--- Stop the run at work, or what is about to become one.
function Conversation:stop()
  local run = self:run()
  if run then
    runs.stop(run)
  elseif self.starting then
    self:not_started({ message = "you stopped it before it had begun" }, self.starting.task)
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
  if self:is_gone() then
    return
  end
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
  local taker = require("steersman.conversation.takers")[event.type]
  if taker then
    taker(conversation, event)
  end
end

return M

--- The runs of all servers, as their events tell them; hands each event on to its conversation.

local emit = require("steersman.emit")
local safely = require("steersman.safely")

local M = {}

---@class steersman.Run
---@field id string
---@field session_id string
---@field client_id integer
---@field prompt string
---@field mode string
---@field model string
---@field activity string what it does now, in the server's words
---@field stopping boolean a person has asked for the end

---@class steersman.Event an event of `docs/protocol.md`, section 6; its other fields depend on the type
---@field type string
---@field runId string
---@field sessionId string
---@field seq integer
---@field turn integer
---@field [string] any

---@type table<string, steersman.Run>
local active = {}

--- Events of sessions that are not known yet, while a start of ours waits for its answer, by client.
---@type table<integer, { waiting: integer, events: steersman.Event[] }>
local held = {}

--- What runs do now, as their progress says it; it may come before their first event.
---@type table<string, string>
local activities = {}

--- The sessions that conversations are open for.
---@type table<string, boolean>
local known = {}

---@return steersman.Run[] the runs at work
function M.active()
  local runs = vim.tbl_values(active)
  table.sort(runs, function(a, b)
    return a.id < b.id
  end)
  return runs
end

---@param session_id string
---@return steersman.Run?
function M.of_session(session_id)
  for _, run in pairs(active) do
    if run.session_id == session_id then
      return run
    end
  end
end

---@param run_id string
---@return steersman.Run?
function M.get(run_id)
  return active[run_id]
end

---@param event steersman.Event
---@param client_id integer
local function take(event, client_id)
  if event.type == "run_started" then
    active[event.runId] = {
      id = event.runId,
      session_id = event.sessionId,
      client_id = client_id,
      prompt = event.prompt,
      mode = event.mode,
      model = event.model,
      activity = activities[event.runId] or "starting",
      stopping = false,
    }
  elseif event.type == "run_ended" then
    active[event.runId] = nil
    activities[event.runId] = nil
  end
  safely.call(require("steersman.conversation").take, event, client_id)
  if event.type == "run_started" then
    emit.user("SteersmanRunStarted", { run_id = event.runId, session_id = event.sessionId, prompt = event.prompt })
    emit.status()
  elseif event.type == "approval_decided" then
    require("steersman.approval").withdraw(event.runId, event.callId, event.decision)
  elseif event.type == "run_ended" then
    require("steersman.approval").withdraw(event.runId, nil, "withdrawn")
    local error = type(event.error) == "table" and event.error.message or nil
    emit.user("SteersmanRunEnded", {
      run_id = event.runId,
      session_id = event.sessionId,
      stop_reason = event.stopReason,
      error = error,
      result = event.result,
    })
    emit.status()
  end
end

--- `steersman/event`.
---@type lsp.Handler
function M.on_event(_, params, context)
  local event = params.event --[[@as steersman.Event]]
  local waiting = held[context.client_id]
  if waiting and not known[event.sessionId] then
    waiting.events[#waiting.events + 1] = event
  else
    take(event, context.client_id)
  end
end

--- A conversation is open for the session: its events need not wait.
---@param session_id string
function M.know(session_id)
  known[session_id] = true
end

--- Start a run. Events of the new session wait until `on_started` has been called.
---@param client vim.lsp.Client
---@param params table<string, any> of `steersman.run`
---@param on_started fun(started?: { sessionId: string, runId: string }, failure?: steersman.Failure)
function M.start(client, params, on_started)
  local waiting = held[client.id] or { waiting = 0, events = {} }
  waiting.waiting = waiting.waiting + 1
  held[client.id] = waiting
  require("steersman.client").command(client, "start", params, function(started, failure)
    safely.call(on_started, started, failure)
    waiting.waiting = waiting.waiting - 1
    if waiting.waiting == 0 then
      held[client.id] = nil
      for _, event in ipairs(waiting.events) do
        take(event, client.id)
      end
    end
  end)
end

--- Ask a run to stop; asked again, also let go of a tool that does not stop.
---@param run steersman.Run
function M.stop(run)
  local client = require("steersman.client").by_id(run.client_id)
  if client then
    require("steersman.client").command(client, "cancel", { runId = run.id, force = run.stopping })
  end
  run.activity = run.stopping and "letting go" or "stopping"
  run.stopping = true
  emit.status()
end

--- A progress report of the server's own token.
---@param token any
---@param value { kind: "begin"|"report"|"end", message?: string }
function M.on_progress(token, value)
  local run_id = type(token) == "string" and token:match("^steersman/(.+)$")
  if not run_id then
    return
  end
  activities[run_id] = value.kind ~= "end" and value.message or nil
  local run = active[run_id]
  if run and activities[run_id] and not run.stopping then
    run.activity = activities[run_id]
    emit.status()
  end
end

--- The server has ended: so have its runs and questions.
---@param client_id integer
function M.on_server_gone(client_id)
  held[client_id] = nil
  for _, run in ipairs(M.active()) do
    if run.client_id == client_id then
      take({
        type = "run_ended",
        runId = run.id,
        sessionId = run.session_id,
        seq = -1,
        turn = 0,
        error = { kind = "internal", message = "The server has ended; what had been recorded is kept." },
      }, client_id)
    end
  end
end

return M

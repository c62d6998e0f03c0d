--- What a conversation makes of each kind of event. Kinds that are not here (a newer server's) need not be shown.

local text = require("steersman.text")

--- The run has come to what it was told.
---@param conversation steersman.Conversation
---@param event steersman.Event `user_message`
local function told_now(conversation, event)
  for index, written in ipairs(conversation.told) do
    if event.steered and written == event.text then
      table.remove(conversation.told, index)
      return
    end
  end
end

--- Return what the run was told and did not come to, in whatever way it ended.
---@param conversation steersman.Conversation
---@param event steersman.Event `run_ended`
---@return string[]
local function undelivered_of(conversation, event)
  local left = conversation.told
  conversation.told = {}
  for _, written in ipairs(type(event.result) == "table" and event.result.undelivered or {}) do
    if not vim.list_contains(left, written) then
      left[#left + 1] = written -- told from elsewhere
    end
  end
  return left
end

---@type table<string, fun(conversation: steersman.Conversation, event: steersman.Event)>
return {
  run_started = function(conversation, event)
    conversation.run_id = event.runId
    conversation.last_model = event.model
  end,
  user_message = function(conversation, event)
    told_now(conversation, event)
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
    local undelivered = undelivered_of(conversation, event)
    if #undelivered > 0 then
      conversation:keep(table.concat(undelivered, "\n"))
      conversation.view:note("what you wrote last came too late; it is kept for your next message")
    end
  end,
}

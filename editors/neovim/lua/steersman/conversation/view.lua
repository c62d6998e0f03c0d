--- What a conversation looks like: turns events, and messages that were kept, into lines. Knows no window.

local blocks = require("steersman.conversation.blocks")
local config = require("steersman.config")
local text = require("steersman.text")

local M = {}

---@class steersman.Call one tool call on the screen
---@field line integer its line, from 0
---@field body integer the first line of what stands below it, from 0
---@field last integer how many lines there were once it had been written
---@field title string
---@field size string `+3 −1`, or ""
---@field refused boolean

---@class steersman.View
---@field writer steersman.Writer
---@field calls table<string, steersman.Call>
---@field private turn_first? integer where the text of this turn begins that is not recorded yet
---@field private streamed string that text
---@field private held string a piece of it that is not written yet
---@field private kind? "text"|"reasoning"|"call"|"note" what was written last
---@field private footer? integer
local View = {}
View.__index = View

---@param writer steersman.Writer
---@return steersman.View
function M.new(writer)
  return setmetatable({ writer = writer, calls = {}, streamed = "", held = "" }, View)
end

--- Begin a part; parts of the same small kind stand without a gap.
---@param kind "text"|"reasoning"|"call"|"note"
---@private
function View:begin(kind)
  self.writer:end_fold()
  local close = kind == self.kind and (kind == "call" or kind == "note")
  if not close then
    self.writer:gap()
  end
  self.kind = kind
end

--- Write a line of the editor's own.
---@param line string
---@param group? string
function View:note(line, group)
  self:begin("note")
  self.writer:append({ config.get().icons.note .. " " .. text.one_line(line) }, group or "SteersmanNote")
end

--- Write what the person said.
---@param content string as it was recorded
---@param steered? boolean
function View:user(content, steered)
  local prompt, context = blocks.split_context(content)
  self:begin("text")
  self.writer:append(blocks.quoted(steered and "(meanwhile) " .. prompt or prompt), "SteersmanPrompt")
  if context then
    self.kind = nil
    local what = text.lines(context)[1]:gsub("^The person has ", ""):gsub(" open in the editor%.$", "")
    self:begin("note")
    self.writer:begin_fold(config.get().icons.note .. " sent along: " .. text.one_line(what), "SteersmanNote")
    self.writer:append(blocks.fenced(text.lines(text.visible(context))))
    self.writer:end_fold()
  end
end

--- Write a piece of what the model says, not recorded yet.
---@param piece string
function View:say(piece)
  self.streamed = self.streamed .. piece
  piece = self.held .. piece
  self.held = piece:match("\r$") or "" -- it may be the first half of a line's end
  local lines = text.lines(piece:sub(1, #piece - #self.held))
  if self.kind ~= "text" or not self.turn_first then
    self:begin("text")
    self.turn_first = self.turn_first or self.writer:count()
    self.writer:append(lines)
  else
    self.writer:extend(lines)
  end
end

--- Write a piece of what the model thinks, folded away.
---@param piece string
function View:think(piece)
  if self.kind ~= "reasoning" then
    self:begin("reasoning")
    self.turn_first = self.turn_first or self.writer:count()
    self.writer:begin_fold(config.get().icons.note .. " thinking", "SteersmanNote")
    self.writer:append(text.lines(piece))
  else
    self.writer:extend(text.lines(piece))
  end
end

--- Take back what is not recorded, because it comes anew or not at all. What a person has stopped stays to be read.
---@param reason string
function View:discard(reason)
  if reason == "cancelled" then
    return
  end
  if self.turn_first then
    self.writer:end_fold()
    self.writer:remove_tail(self.turn_first)
    self.turn_first, self.streamed, self.held, self.kind = nil, "", "", nil
  end
  self:note("the answer broke off and was discarded: " .. reason)
end

--- The model's message is recorded: it counts, whatever was shown before.
---@param content string
---@param truncated? boolean
function View:commit(content, truncated)
  if content ~= self.streamed then
    self.writer:end_fold()
    if self.turn_first then
      self.writer:remove_tail(self.turn_first)
    end
    if vim.trim(content) ~= "" then
      self:begin("text")
      self.writer:append(text.lines(content))
    end
  end
  self.turn_first, self.streamed, self.held = nil, "", ""
  if truncated then
    self:note("cut off by the output limit")
  end
end

---@param call steersman.Call
---@param icon string
---@param group string
---@param more? string
---@private
function View:set_head(call, icon, group, more)
  local parts = vim.tbl_filter(function(part)
    return part and part ~= ""
  end, { icon .. " " .. call.title, call.size, more })
  self.writer:clear_line(call.line)
  self.writer:replace_line(call.line, table.concat(parts, "  "))
  self.writer:highlight_part(call.line, 0, #icon, group)
end

--- A call is taken up.
---@param id string
---@param tool string
---@param arguments string
function View:call(id, tool, arguments)
  self:begin("call")
  local line = self.writer:begin_fold("")
  local call = { line = line, title = blocks.call_title(tool, arguments), size = "", refused = false }
  self.calls[id] = call
  self:set_head(call, config.get().icons.running, "SteersmanRunning")
  call.body = line + 1
  self.writer:append(blocks.arguments(arguments))
  call.last = self.writer:count()
end

--- The person is asked about a call: what would change stands below it.
---@param event steersman.Event
function View:ask(event)
  local call = self.calls[event.callId]
  if not call then
    return
  end
  call.title = blocks.title(event.title)
  if #event.changes > 0 then
    call.size = blocks.size(event.changes)
    self.writer:resume_fold()
    if self.writer:count() == call.last then
      self.writer:remove_tail(call.body)
    end -- else something was said since, and stays
    call.body = self.writer:count()
    self:append_diff(blocks.diff(event.changes))
    call.last = self.writer:count()
  end
  self:set_head(call, config.get().icons.question, "SteersmanQuestion")
end

---@param lines string[]
---@private
function View:append_diff(lines)
  local first = self.writer:append(lines)
  for offset, line in ipairs(lines) do
    local group = ({ ["+"] = "SteersmanAdded", ["-"] = "SteersmanRemoved", ["@"] = "SteersmanHunk" })[line:sub(1, 1)]
    if group then
      self.writer:highlight(first + offset - 1, first + offset, group)
    end
  end
end

--- The question is closed.
---@param event steersman.Event
function View:decide(event)
  local call = self.calls[event.callId]
  if not call then
    return
  end
  call.refused = event.decision == "reject"
  self:set_head(call, config.get().icons.running, "SteersmanRunning")
end

--- A tool runs.
---@param event steersman.Event
function View:start_tool(event)
  local call = self.calls[event.callId]
  if call then
    call.title = blocks.title(event.title)
    self:set_head(call, config.get().icons.running, "SteersmanRunning")
  end
end

--- A running tool says something: its last line stands in the head.
---@param event steersman.Event
function View:output(event)
  local call = self.calls[event.callId]
  local lines = call and vim.tbl_filter(function(line)
    return vim.trim(line) ~= ""
  end, text.lines(event.text)) or {}
  if call and #lines > 0 then
    local last = text.clip(text.one_line(lines[#lines]), 60)
    self:set_head(call, config.get().icons.running, "SteersmanRunning", last)
  end
end

--- A call is closed.
---@param id string
---@param result { content: string, isError: boolean, outcome?: string, changes?: table[], durationMs?: integer }
function View:result(id, result)
  local call = self.calls[id]
  if not call then
    return
  end
  if result.changes and #result.changes > 0 then
    call.size = blocks.size(result.changes)
  end
  local icons, more = config.get().icons, nil
  if result.isError then
    call.size = ""
    more = call.refused and "refused" or text.clip(text.one_line(text.lines(result.content)[1]), 60)
  elseif (result.durationMs or 0) >= 1000 then
    more = ("%.1f s"):format(result.durationMs / 1000)
  end
  self:set_head(
    call,
    result.isError and icons.error or icons.ok,
    result.isError and "SteersmanError" or "SteersmanOk",
    more
  )
  self.writer:resume_fold()
  self.writer:append(blocks.fenced(text.lines(text.visible(result.content))))
  self.writer:end_fold()
end

--- The run is over.
---@param event steersman.Event
function View:finish(event)
  if self.turn_first then
    self:note("this answer was not finished, so it is not part of the conversation")
    self.turn_first, self.streamed, self.held = nil, "", ""
  end
  local failed = type(event.error) == "table"
  self.kind = nil
  self:note(blocks.ending(event), failed and "SteersmanError" or "SteersmanEnding")
end

--- Show below everything what is waited for; nil for nothing.
---@param words? { [1]: string, [2]: string }[]
function View:set_footer(words)
  self.footer = self.writer:set_footer(self.footer, words and { {}, words } or nil)
end

--- Write the messages of a session that was kept.
---@param messages table[] of `steersman.sessions.get`
function View:history(messages)
  for index, message in ipairs(messages) do
    if message.role == "user" and message.origin == "host" then
      self:note(message.content)
    elseif message.role == "user" then
      self:user(message.content, message.origin == "steered")
    elseif message.role == "assistant" then
      self:commit(message.content, message.truncated)
      for number, call in ipairs(message.toolCalls) do
        self:call(call.id, call.name, call.arguments)
        local result = messages[index + number] -- each call's result follows, in order
        if result and result.role == "tool" then
          self:result(call.id, result)
        end
      end
    end
  end
  self.writer:end_fold()
end

return M

--- Goes back to an earlier message: files, conversation, or both; and takes that back again.

local blocks = require("steersman.conversation.blocks")
local client = require("steersman.client")
local text = require("steersman.text")

local M = {}

---@class steersman.LastRewind
---@field conversation steersman.Conversation
---@field id string

---@type steersman.LastRewind?
local last

---@param words string
---@param level? integer
local function say(words, level)
  vim.notify("Steersman: " .. words, level or vim.log.levels.INFO, { title = "Steersman" })
end

---@param result table<string, any>
---@return string
local function summary(result)
  local parts = { text.count(#result.restored, "file") .. " restored" }
  for _, conflict in ipairs(result.conflicts) do
    parts[#parts + 1] = ("%s: %s"):format(vim.fs.basename(vim.uri_to_fname(conflict.uri)), conflict.reason)
  end
  return table.concat(parts, "; ")
end

---@class steersman.RewindWhat
---@field name string
---@field files boolean
---@field conversation boolean

---@type steersman.RewindWhat[]
local whats = {
  { name = "Files and conversation", files = true, conversation = true },
  { name = "Files only", files = true, conversation = false },
  { name = "Conversation only", files = false, conversation = true },
}

---@class steersman.RewindPoint
---@field prompt string
---@field to_message integer the last that stays; -1 for none

---@param conversation steersman.Conversation
---@param connected vim.lsp.Client
---@param point steersman.RewindPoint
---@param what steersman.RewindWhat
---@param force boolean
local function rewind(conversation, connected, point, what, force)
  local params = {
    sessionId = conversation.session_id,
    toMessage = point.to_message,
    files = what.files,
    conversation = what.conversation,
    force = force,
  }
  client.command(connected, "rewind", params, function(result, failure)
    if not result then
      return client.report(failure --[[@as steersman.Failure]])
    end
    last = { conversation = conversation, id = result.rewindId }
    local conflicts = #result.conflicts > 0
    say(summary(result) .. ". :SteersmanRewind! takes this back.", conflicts and vim.log.levels.WARN or nil)
    conversation:reload()
    if what.conversation then
      conversation.draft = point.prompt -- to be said again, in better words
    end
    if conflicts and not force then
      vim.ui.select({ "Leave them as they are", "Restore them too, over what was changed since" }, {
        prompt = text.count(#result.conflicts, "file") .. " changed since:",
        kind = "steersman_confirm",
      }, function(_, number)
        if number == 2 then
          rewind(conversation, connected, point, { files = true, conversation = false, name = "" }, true)
        end
      end)
    end
  end)
end

---@param messages table[]
---@return steersman.RewindPoint[] latest first
local function points(messages)
  local found = {}
  for _, message in ipairs(messages) do
    if message.role == "user" and message.origin ~= "host" then
      table.insert(found, 1, { prompt = blocks.split_context(message.content), to_message = message.seq - 1 })
    end
  end
  return found
end

--- Choose a message to go back to the moment before.
---@param conversation steersman.Conversation
function M.choose(conversation)
  if not conversation.session_id then
    return say("nothing has happened here yet.")
  end
  client.ensure(conversation.root, function(connected, unavailable)
    if not connected then
      return client.report(unavailable --[[@as steersman.Failure]])
    end
    client.command(connected, "sessions.get", { sessionId = conversation.session_id }, function(result, failure)
      if not result then
        return client.report(failure --[[@as steersman.Failure]])
      end
      vim.ui.select(points(result.messages), {
        prompt = "Go back to the moment before:",
        kind = "steersman_rewind",
        format_item = function(point)
          return text.clip(text.one_line(point.prompt), 70)
        end,
      }, function(point)
        if not point then
          return
        end
        vim.ui.select(whats, {
          prompt = "Take back:",
          kind = "steersman_rewind_what",
          format_item = function(what)
            return what.name
          end,
        }, function(what)
          if what then
            rewind(conversation, connected, point, what, false)
          end
        end)
      end)
    end)
  end)
end

--- Take the last rewind back.
function M.undo()
  if not last then
    return say("there is no rewind to take back.")
  end
  local undone = last
  client.ensure(undone.conversation.root, function(connected, unavailable)
    if not connected then
      return client.report(unavailable --[[@as steersman.Failure]])
    end
    client.command(connected, "rewind.undo", { rewindId = undone.id }, function(result, failure)
      if not result then
        return client.report(failure --[[@as steersman.Failure]])
      end
      last = nil
      say(summary(result) .. ".")
      undone.conversation:reload()
    end)
  end)
end

return M

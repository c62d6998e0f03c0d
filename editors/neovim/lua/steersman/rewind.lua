--- Goes back to an earlier message: files, conversation, or both; and takes that back again.

local blocks = require("steersman.conversation.blocks")
local client = require("steersman.client")
local pick = require("steersman.pick")
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
local function conflicts_of(result)
  local parts = vim.tbl_map(function(conflict)
    return ("%s: %s"):format(vim.fs.basename(vim.uri_to_fname(conflict.uri)), conflict.reason)
  end, result.conflicts)
  return table.concat(parts, "; ")
end

---@param result table<string, any>
---@return string
local function summary(result)
  local restored = text.count(#result.restored, "file") .. " put back as before"
  return #result.conflicts > 0 and restored .. "; " .. conflicts_of(result) or restored
end

--- Ask what becomes of the files that were changed since: 1, they stay; 2, they are put back all the same.
---@param result table<string, any>
---@param on_choice fun(number?: integer)
local function ask_about_conflicts(result, on_choice)
  pick.select({ "Leave them as they are", "Put them back anyway, over what was changed since" }, {
    prompt = ("%s changed since (%s):"):format(text.count(#result.conflicts, "file"), conflicts_of(result)),
    kind = "steersman_confirm",
  }, function(_, number)
    on_choice(number)
  end)
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

---@class steersman.RewindPlan what a person chose; `preview` is the server's word for what they were shown of it
---@field conversation steersman.Conversation
---@field connected vim.lsp.Client
---@field point steersman.RewindPoint
---@field what steersman.RewindWhat
---@field force boolean
---@field preview? string

---@param plan steersman.RewindPlan
---@param dry_run boolean
---@param on_result fun(result: table<string, any>)
local function ask_server(plan, dry_run, on_result)
  client.command(plan.connected, "rewind", {
    sessionId = plan.conversation.session_id,
    toMessage = plan.point.to_message,
    files = plan.what.files,
    conversation = plan.what.conversation,
    force = plan.force,
    dryRun = dry_run,
    preview = plan.preview,
  }, function(result, failure)
    if result then
      on_result(result)
    else
      client.report(failure --[[@as steersman.Failure]])
    end
  end)
end

---@type fun(plan: steersman.RewindPlan, would: table<string, any>)
local confirm

---@param plan steersman.RewindPlan
local function rewind(plan)
  ask_server(plan, false, function(result)
    if not result.rewindId then -- something happened since the person was shown what would
      return confirm(plan, result)
    end
    last = { conversation = plan.conversation, id = result.rewindId }
    local level = #result.conflicts > 0 and vim.log.levels.WARN or nil
    say(summary(result) .. ". :SteersmanRewind! takes this back.", level)
    plan.conversation:reload()
    if plan.what.conversation then
      plan.conversation:keep(plan.point.prompt) -- to be said again, in better words
    end
  end)
end

--- Do what a dry run has shown; where files were changed since, the person says what becomes of them.
---@param plan steersman.RewindPlan
---@param would table<string, any>
function confirm(plan, would)
  plan.preview = would.preview
  if plan.force or #would.conflicts == 0 then
    return rewind(plan)
  end
  ask_about_conflicts(would, function(number)
    if number == 1 then
      rewind(plan)
    elseif number == 2 then
      plan.force = true
      ask_server(plan, true, function(forced)
        confirm(plan, forced)
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
      pick.select(points(result.messages), {
        prompt = "Go back to the moment before:",
        kind = "steersman_rewind",
        format_item = function(point)
          return text.clip(text.one_line(point.prompt), 70)
        end,
      }, function(point)
        if not point then
          return
        end
        pick.select(whats, {
          prompt = "Take back:",
          kind = "steersman_rewind_what",
          format_item = function(what)
            return what.name
          end,
        }, function(what)
          if what then
            local plan = {
              conversation = conversation,
              connected = connected,
              point = point,
              what = what,
              force = false,
            }
            ask_server(plan, true, function(would)
              confirm(plan, would)
            end)
          end
        end)
      end)
    end)
  end)
end

--- Take a rewind back; where files were changed since, the person says what becomes of them.
---@param undone steersman.LastRewind
---@param force boolean also over later changes
local function undo(undone, force)
  client.ensure(undone.conversation.root, function(connected, unavailable)
    if not connected then
      return client.report(unavailable --[[@as steersman.Failure]])
    end
    client.command(connected, "rewind.undo", { rewindId = undone.id, force = force }, function(result, failure)
      if not result then
        return client.report(failure --[[@as steersman.Failure]])
      end
      last = nil
      say(summary(result) .. ".")
      undone.conversation:reload()
      if not force and #result.conflicts > 0 then
        ask_about_conflicts(result, function(number)
          if number == 2 then
            undo(undone, true)
          end
        end)
      end
    end)
  end)
end

--- Take the last rewind back.
function M.undo()
  if last then
    undo(last, false)
  else
    say("there is no rewind to take back.")
  end
end

return M

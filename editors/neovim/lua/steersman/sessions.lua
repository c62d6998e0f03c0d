--- Finds conversations that were kept, and does with them what a person chooses.

local blocks = require("steersman.conversation.blocks")
local client = require("steersman.client")
local conversations = require("steersman.conversation")
local pick = require("steersman.pick")
local roots = require("steersman.roots")
local text = require("steersman.text")

local M = {}

local LISTED = 100
local PREVIEWED = 20
local PREVIEW_MESSAGES = 30

---@class steersman.Session a Session of `docs/protocol.md`, section 2
---@field id string
---@field title string
---@field folder? string
---@field updatedAt string
---@field messages integer
---@field model string
---@field running boolean
---@field parentId? string
---@field line? string where it was searched for: the line that fits best

---@param session steersman.Session
---@return string
local function describe(session)
  local parts = {
    text.clip(text.one_line(session.title), 60),
    text.count(session.messages, "message"),
    text.ago(session.updatedAt),
  }
  if session.running then
    parts[#parts + 1] = "running"
  end
  if session.line then
    parts[#parts + 1] = text.clip(text.one_line(vim.trim(session.line)), 60)
  end
  return table.concat(parts, " · ")
end

---@param session steersman.Session
---@param messages table[]
---@return string[]
local function preview_lines(session, messages)
  local lines = { "# " .. text.one_line(session.title), "", describe(session) .. " · " .. session.model, "" }
  for _, message in ipairs(messages) do
    if message.role == "user" then
      vim.list_extend(lines, blocks.quoted((blocks.split_context(message.content))))
      lines[#lines + 1] = ""
    elseif message.role == "assistant" and message.content ~= "" then
      vim.list_extend(lines, text.lines(text.visible(message.content)))
      lines[#lines + 1] = ""
    end
  end
  return lines
end

--- Return a preview as pickers take it: lines, or from Neovim 0.12.3 on a buffer.
---@param lines string[]
---@return string[]|{ buf: integer, pos: integer[] }
local function as_preview(lines)
  if vim.fn.has("nvim-0.12.3") == 0 then
    return lines
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].filetype = "markdown"
  return { buf = buf, pos = { 1, 0 } }
end

---@param session steersman.Session
---@param connected vim.lsp.Client
local function go_on(session, connected)
  local conversation = conversations.of_session(session.id)
  if not conversation then
    local root = session.folder and vim.uri_to_fname(session.folder) or connected.root_dir or vim.fn.getcwd()
    conversation = conversations.new(root, session.title)
    conversation:bind(session.id, connected.id)
    conversation:reload()
  end
  conversation:show(true)
end

---@param connected vim.lsp.Client
---@param name string
---@param params table<string, any>
---@param on_done fun(result: table<string, any>)
local function command(connected, name, params, on_done)
  client.command(connected, name, params, function(result, failure)
    if result then
      on_done(result)
    else
      client.report(failure --[[@as steersman.Failure]])
    end
  end)
end

---@param words string
local function say(words)
  vim.notify("Steersman: " .. words, vim.log.levels.INFO, { title = "Steersman" })
end

---@param session steersman.Session
---@param connected vim.lsp.Client
---@param format "markdown"|"html"|"json"
local function export(session, connected, format)
  local name = session.title:gsub("[^%w]+", "-"):gsub("^%-+", ""):gsub("%-+$", ""):sub(1, 40):lower()
  local extension = format == "markdown" and "md" or format
  local path = vim.fs.joinpath(vim.fn.getcwd(), ("%s.%s"):format(name ~= "" and name or "session", extension))
  pick.input({ prompt = "Export to: ", default = path, completion = "file" }, function(chosen)
    if chosen and chosen ~= "" then
      local target = vim.fs.normalize(vim.fn.fnamemodify(chosen, ":p"))
      local params = { sessionId = session.id, format = format, path = target }
      command(connected, "sessions.export", params, function(result)
        say("exported to " .. vim.uri_to_fname(result.uri))
      end)
    end
  end)
end

---@type { name: string, run: fun(session: steersman.Session, connected: vim.lsp.Client) }[]
local actions = {
  { name = "Go on", run = go_on },
  {
    name = "Fork",
    run = function(session, connected)
      command(connected, "sessions.fork", { sessionId = session.id }, function(result)
        go_on(result.session, connected)
      end)
    end,
  },
  {
    name = "Rename",
    run = function(session, connected)
      pick.input({ prompt = "New title: ", default = text.one_line(session.title) }, function(title)
        if title and vim.trim(title) ~= "" then
          command(connected, "sessions.rename", { sessionId = session.id, title = title }, function(result)
            local conversation = conversations.of_session(session.id)
            if conversation then
              conversation.title = text.one_line(result.session.title)
              require("steersman.emit").status()
            end
            say("renamed to " .. text.one_line(result.session.title))
          end)
        end
      end)
    end,
  },
  {
    name = "Delete",
    run = function(session, connected)
      pick.select({ "Keep it", "Delete it for good" }, {
        prompt = ("Delete “%s”?"):format(text.clip(text.one_line(session.title), 60)),
        kind = "steersman_confirm",
      }, function(_, number)
        if number == 2 then
          command(connected, "sessions.delete", { sessionId = session.id }, function()
            local conversation = conversations.of_session(session.id)
            if conversation then
              vim.api.nvim_buf_delete(conversation.buf, { force = true })
            end
            say("deleted " .. text.one_line(session.title))
          end)
        end
      end)
    end,
  },
  {
    name = "Export as Markdown",
    run = function(session, connected)
      export(session, connected, "markdown")
    end,
  },
  {
    name = "Export as a web page",
    run = function(session, connected)
      export(session, connected, "html")
    end,
  },
  {
    name = "Export as JSON",
    run = function(session, connected)
      export(session, connected, "json")
    end,
  },
}

---@param session steersman.Session
---@param connected vim.lsp.Client
local function choose_action(session, connected)
  pick.select(actions, {
    prompt = text.clip(text.one_line(session.title), 60) .. ":",
    kind = "steersman_session_action",
    format_item = function(action)
      return action.name
    end,
  }, function(action)
    if action then
      action.run(session, connected)
    end
  end)
end

--- Fetch the beginnings of some sessions, so that a picker can show them at once.
---@param sessions steersman.Session[]
---@param connected vim.lsp.Client
---@param on_ready fun(previews: table<string, string[]>)
local function fetch_previews(sessions, connected, on_ready)
  local previews, waiting = {}, math.min(#sessions, PREVIEWED)
  for number = 1, waiting do
    local session = sessions[number]
    local params = { sessionId = session.id, limit = PREVIEW_MESSAGES }
    client.command(connected, "sessions.get", params, function(result)
      previews[session.id] = preview_lines(session, result and result.messages or {})
      waiting = waiting - 1
      if waiting == 0 then
        on_ready(previews)
      end
    end)
  end
end

---@param sessions steersman.Session[]
---@param connected vim.lsp.Client
local function choose_session(sessions, connected)
  fetch_previews(sessions, connected, function(previews)
    pick.select(sessions, {
      prompt = "Sessions:",
      kind = "steersman_session",
      format_item = describe,
      preview_item = function(session)
        return as_preview(previews[session.id] or preview_lines(session, {}))
      end,
    }, function(session)
      if session then
        choose_action(session, connected)
      end
    end)
  end)
end

--- Choose a session and what to do with it.
---@param query? string words to look for: the sessions that hold them all, the best first
function M.choose(query)
  local looked_for = query and vim.trim(query) ~= "" and query or nil
  client.ensure(roots.for_task(vim.api.nvim_get_current_buf()), function(connected, unavailable)
    if not connected then
      return client.report(unavailable --[[@as steersman.Failure]])
    elseif looked_for then
      return command(connected, "sessions.search", { query = looked_for, limit = LISTED }, function(result)
        if #result.hits == 0 then
          return say(("no session holds %q."):format(looked_for))
        end
        choose_session(
          vim.tbl_map(function(hit)
            local line = hit.role ~= "title" and hit.line or nil -- the title is shown anyway
            return vim.tbl_extend("force", hit.session, { line = line })
          end, result.hits),
          connected
        )
      end)
    end
    command(connected, "sessions.list", { limit = LISTED }, function(result)
      if #result.sessions == 0 then
        return say("there are no sessions here yet.")
      end
      choose_session(result.sessions, connected)
    end)
  end)
end

return M

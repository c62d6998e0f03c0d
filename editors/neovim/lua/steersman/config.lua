--- What a person may configure, and what holds where they say nothing. Reads no file and asks no server.

local M = {}

---@alias steersman.Mode "plan"|"ask"|"accept-edits"|"auto"

---@class steersman.ConversationKeys
---@field write string answer, steer, or begin
---@field stop string stop the run
---@field hide string close the window; the run goes on
---@field question string go to the open question
---@field rewind string go back to an earlier message
---@field help string show these keys

---@class steersman.QuestionKeys
---@field allow_once string
---@field allow_session string
---@field allow_always string
---@field save_and_allow string save the files first (before a command)
---@field reject string refuse, with a reason if you like
---@field later string hide the question; it stays open
---@field next_hunk string
---@field previous_hunk string
---@field side_by_side string see the change in a tab of its own

---@class steersman.ConversationOptions
---@field position "right"|"left"|"below"|"tab" where its window opens
---@field size number columns (lines for "below"); below 1: that part of the screen
---@field open boolean open it when a run starts
---@field keys steersman.ConversationKeys

---@class steersman.QuestionOptions
---@field focus "conversation"|"never" take the cursor only when it is in a conversation, or never
---@field guard_ms integer when the cursor was taken there, answers count only after this time
---@field keys steersman.QuestionKeys

---@class steersman.Icons
---@field running string
---@field ok string
---@field error string
---@field question string
---@field note string

---@class steersman.Config
---@field cmd? string[] the server's command line; default `{ "steersman", "lsp" }`
---@field attach boolean attach the server to files as they are opened, for its code actions and lenses
---@field code_lens boolean show `▶ Steersman` above instruction comments
---@field root_markers string[] what marks a workspace folder
---@field mode? steersman.Mode the mode of runs, unless chosen by `:SteersmanMode`
---@field model? string the model of runs, unless chosen by `:SteersmanModel`
---@field init_options table<string, any> the server's options (providers, limits, …; `docs/protocol.md`, section 1)
---@field conversation steersman.ConversationOptions
---@field question steersman.QuestionOptions
---@field icons steersman.Icons

---@type steersman.Config
local defaults = {
  attach = true,
  code_lens = true,
  root_markers = { ".git", ".hg", ".jj", ".svn" },
  init_options = {},
  conversation = {
    position = "right",
    size = 0.42,
    open = true,
    keys = { write = "i", stop = "<C-c>", hide = "q", question = "<CR>", rewind = "R", help = "g?" },
  },
  question = {
    focus = "conversation",
    guard_ms = 400,
    keys = {
      allow_once = "a",
      allow_session = "s",
      allow_always = "A",
      save_and_allow = "w",
      reject = "r",
      later = "q",
      next_hunk = "]c",
      previous_hunk = "[c",
      side_by_side = "d",
    },
  },
  icons = { running = "●", ok = "✓", error = "✗", question = "?", note = "·" },
}

---@type steersman.Config
local current = vim.deepcopy(defaults)

---@return steersman.Config
function M.get()
  return current
end

--- Return the names in `given` that `known` does not have, with their place.
---@param given table<string, any>
---@param known table<string, any>
---@param place string
---@param unknown string[]
local function find_unknown(given, known, place, unknown)
  for name, value in pairs(given) do
    local optional = place == "" and (name == "cmd" or name == "mode" or name == "model")
    if known[name] == nil and not optional then
      unknown[#unknown + 1] = place .. tostring(name)
    elseif type(known[name]) == "table" and type(value) == "table" and name ~= "init_options" then
      if not vim.islist(known[name]) then
        find_unknown(value, known[name], place .. name .. ".", unknown)
      end
    end
  end
end

--- Look whether every table of options is one, before anything is read from it.
---@param given table<string, any>
local function validate_tables(given)
  vim.validate("options", given, "table")
  for _, name in ipairs({ "conversation", "question", "icons" }) do
    vim.validate(name, given[name], "table", true)
  end
  for _, name in ipairs({ "conversation", "question" }) do
    vim.validate(name .. ".keys", given[name] and given[name].keys, "table", true)
  end
end

---@param options steersman.Config
local function validate(options)
  vim.validate("cmd", options.cmd, "table", true)
  vim.validate("attach", options.attach, "boolean")
  vim.validate("code_lens", options.code_lens, "boolean")
  vim.validate("root_markers", options.root_markers, "table")
  vim.validate("init_options", options.init_options, "table")
  vim.validate("model", options.model, "string", true)
  vim.validate("mode", options.mode, function(mode)
    return mode == nil or vim.list_contains(M.modes, mode)
  end, true, "plan, ask, accept-edits or auto")
  vim.validate("conversation.position", options.conversation.position, function(position)
    return vim.list_contains({ "right", "left", "below", "tab" }, position)
  end, "right, left, below or tab")
  vim.validate("conversation.size", options.conversation.size, "number")
  vim.validate("conversation.open", options.conversation.open, "boolean")
  vim.validate("question.focus", options.question.focus, function(focus)
    return focus == "conversation" or focus == "never"
  end, "conversation or never")
  vim.validate("question.guard_ms", options.question.guard_ms, "number")
  for _, keys in ipairs({ options.conversation.keys, options.question.keys }) do
    for name, key in pairs(keys) do
      vim.validate("keys." .. name, key, function(given)
        return type(given) == "string" and given ~= ""
      end, "a key")
    end
  end
  for name, icon in pairs(options.icons) do
    vim.validate("icons." .. name, icon, "string")
  end
end

---@type steersman.Mode[]
M.modes = { "plan", "ask", "accept-edits", "auto" }

--- What each mode means, for people.
---@type table<steersman.Mode, string>
M.mode_meanings = {
  plan = "reads only, changes nothing",
  ask = "asks before each change and command",
  ["accept-edits"] = "edits freely, asks before commands",
  auto = "asks only for what is protected",
}

--- Take options in; raises an error that names what is wrong. Called again, it begins from the defaults.
---@param options? table<string, any>
---@return string[] unknown names that mean nothing
function M.set(options)
  options = options or {}
  validate_tables(options)
  local merged = vim.tbl_deep_extend("force", defaults, options) --[[@as steersman.Config]]
  validate(merged)
  current = merged
  local unknown = {}
  find_unknown(options, defaults, "", unknown)
  table.sort(unknown)
  return unknown
end

return M

--- Steersman: a coding agent in Neovim. The functions here are what `:Steersman` and its kin call, for your own keys.

local config = require("steersman.config")

local M = {}

local is_set_up = false

--- Do what is needed once, whether or not `setup` was called.
local function set_up_once()
  if is_set_up then
    return
  end
  is_set_up = true
  require("steersman.highlights").define()
  local group = vim.api.nvim_create_augroup("steersman", {})
  vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = require("steersman.highlights").define })
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = group,
    callback = function(event)
      require("steersman.client").on_file_opened(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd("LspProgress", {
    group = group,
    callback = function(event)
      local params = event.data.params
      require("steersman.runs").on_progress(params.token, params.value)
    end,
  })
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(event)
      require("steersman.actions").on_attach(event.data.client_id, event.buf)
    end,
  })
end

--- Take your options in (see |steersman-options|) and attach the server to files as they are opened.
---@param options? table<string, any> of `steersman.Config`
function M.setup(options)
  local unknown = config.set(options)
  if #unknown > 0 then
    vim.notify("Steersman: no such option: " .. table.concat(unknown, ", "), vim.log.levels.WARN)
  end
  set_up_once()
  if config.get().cmd then
    vim.lsp.config("steersman", { cmd = config.get().cmd })
  end
  if config.get().attach then
    vim.lsp.enable("steersman")
  end
end

--- A task that was written and not sent.
local unsent = ""

---@param options steersman.RunOptions
---@param context? steersman.Context
---@param root string
local function ask_for_task(options, context, root)
  local current = options.continue and require("steersman.conversation").current() or nil
  local draft = current and current.draft or unsent
  local function keep(text)
    if current then
      current:keep(text)
    else
      unsent = text
    end
  end
  if current then
    current.draft = ""
  end
  require("steersman.compose").open({
    title = options.continue and "Go on" or "New task",
    draft = draft,
    on_send = function(written)
      unsent = current and unsent or ""
      M.run(written, { continue = options.continue, context = context, root = root })
    end,
    on_close = keep,
  })
end

---@class steersman.RunOptions
---@field range? { [1]: integer, [2]: integer } first and last line of what it is about, from 1
---@field continue? boolean go on with the current conversation, or steer its run
---@field context? steersman.Context what is looked at, where it is known already
---@field root? string the folder to work in, where it is known already

--- Start a task, shown in a conversation of its own; without a text, ask for one.
---@param task? string
---@param options? steersman.RunOptions
function M.run(task, options)
  options = options or {}
  set_up_once()
  local conversations = require("steersman.conversation")
  local here = vim.api.nvim_get_current_buf()
  local context = options.context or require("steersman.context").capture(here, options.range)
  local root = options.root or require("steersman.roots").for_task(context and context.buf or here)
  if not task or vim.trim(task) == "" then
    return ask_for_task(options, context, root)
  end
  local current = conversations.current()
  local conversation = options.continue and current or conversations.new(root, task)
  if config.get().conversation.open then
    conversation:show(false)
  end
  conversation:say(task, context)
end

--- Show or hide the current conversation.
function M.toggle()
  set_up_once()
  local conversation = require("steersman.conversation").current()
  if not conversation then
    return M.run()
  elseif require("steersman.conversation.window").find(conversation.buf) then
    conversation:hide()
  else
    conversation:show(true)
  end
end

--- Stop the current conversation's run; where it has none, the only run there is. With `everything`, all runs.
---@param everything? boolean
function M.stop(everything)
  local runs = require("steersman.runs")
  local conversation = require("steersman.conversation").current()
  local own = conversation and conversation:run()
  local stopped = (everything or not own) and runs.active() or { own }
  if conversation and conversation.starting and not own then
    conversation:stop()
    stopped = everything and stopped or {}
  elseif #stopped == 0 then
    vim.notify("Steersman: nothing is running.", vim.log.levels.INFO, { title = "Steersman" })
  elseif #stopped > 1 and not everything then
    local many = ("Steersman: %d runs are at work; stop one in its conversation, or all with :SteersmanStop!"):format(
      #stopped
    )
    vim.notify(many, vim.log.levels.WARN, { title = "Steersman" })
    stopped = {}
  end
  vim.iter(stopped):each(runs.stop)
end

--- Go to the open question.
function M.answer()
  require("steersman.approval").open()
end

--- Choose a session: go on with it, fork, rename, delete or export it.
---@param query? string words to look for in all sessions
function M.sessions(query)
  set_up_once()
  require("steersman.sessions").choose(query)
end

--- Go back to an earlier message of the current conversation.
function M.rewind()
  set_up_once()
  local conversation = require("steersman.conversation").current()
  if conversation then
    require("steersman.rewind").choose(conversation)
  else
    vim.notify("Steersman: there is no conversation yet; :SteersmanSessions finds older ones.", vim.log.levels.INFO)
  end
end

--- Take the last rewind back.
function M.undo_rewind()
  require("steersman.rewind").undo()
end

--- Choose what runs may do without asking, from now on and in the run at work.
---@param mode? string without one, choose from a list
function M.mode(mode)
  set_up_once()
  require("steersman.modes").choose_mode(mode)
end

--- Choose the model of the runs to come.
---@param model? string without one, choose from a list
function M.model(model)
  set_up_once()
  require("steersman.modes").choose_model(model)
end

--- What goes on, for a status line: "" when nothing does.
---@return string
function M.statusline()
  return require("steersman.statusline").text()
end

return M

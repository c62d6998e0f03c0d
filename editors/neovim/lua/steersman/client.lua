--- The server's connection: found or started, kept up with the open files, sent commands. Nothing here waits.

local lsp = require("steersman.lsp")
local roots = require("steersman.roots")
local safely = require("steersman.safely")

local M = {}

local READY_POLL_MS = 20

---@class steersman.Failure what went wrong, for a person
---@field message string
---@field kind? string a failure kind of `docs/protocol.md`, section 5
---@field hint? string

--- What is called with the answers that have not come yet, by client.
---@type table<integer, table<fun(result?: table<string, any>, failure?: steersman.Failure), true>>
local unanswered = {}

---@return vim.lsp.Client[]
local function all()
  return vim.lsp.get_clients({ name = lsp.NAME, _uninitialized = true })
end

--- Whether the client works in this folder or one above it.
---@param client vim.lsp.Client
---@param path string
---@return boolean
local function covers(client, path)
  for _, folder in ipairs(client.workspace_folders or {}) do
    if roots.is_inside(path, vim.uri_to_fname(folder.uri)) then
      return true
    end
  end
  return false
end

--- Return the client that works in a folder, or nil when none is running yet.
---@param root string
---@return vim.lsp.Client?
function M.find(root)
  for _, client in ipairs(all()) do
    if not client:is_stopped() and covers(client, root) then
      return client
    end
  end
end

---@param id integer
---@return vim.lsp.Client?
function M.by_id(id)
  local client = vim.lsp.get_client_by_id(id)
  return client and not client:is_stopped() and client or nil
end

--- Pass every open file of the client's folders to it, also those that no file type is known for.
---@param client vim.lsp.Client
function M.attach_files(client)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) then
      M.attach_file(client, buf)
    end
  end
end

---@param client vim.lsp.Client
---@param buf integer
function M.attach_file(client, buf)
  if
    roots.is_file(buf)
    and not client.attached_buffers[buf]
    and covers(client, vim.api.nvim_buf_get_name(buf))
    and not client:is_stopped()
  then
    vim.lsp.buf_attach_client(buf, client.id)
  end
end

--- Pass a file that was just opened to the clients that work in its folder.
---@param buf integer
function M.on_file_opened(buf)
  for _, client in ipairs(all()) do
    M.attach_file(client, buf)
  end
end

---@param client vim.lsp.Client
---@param on_ready fun(client?: vim.lsp.Client, failure?: steersman.Failure)
local function when_ready(client, on_ready)
  if client.initialized then
    M.attach_files(client)
    return on_ready(client)
  elseif client:is_stopped() or not vim.lsp.get_client_by_id(client.id) then
    return on_ready(nil, {
      message = "The server ended as soon as it was started.",
      hint = ":checkhealth steersman tells more; its words are in " .. vim.lsp.get_log_path() .. ".",
    })
  end
  vim.defer_fn(function()
    when_ready(client, on_ready)
  end, READY_POLL_MS)
end

--- Find the client for a folder, or start one; `on_ready` is called with it once it can take commands.
---@param root string
---@param on_ready fun(client?: vim.lsp.Client, failure?: steersman.Failure)
function M.ensure(root, on_ready)
  local client = M.find(root)
  if client then
    return when_ready(client, on_ready)
  end
  local wanted = vim.deepcopy(vim.lsp.config[lsp.NAME]) --[[@as vim.lsp.ClientConfig]]
  if type(wanted.cmd) == "table" and vim.fn.executable(wanted.cmd[1]) == 0 then
    return on_ready(nil, {
      message = ("The program %q is not there."):format(wanted.cmd[1]),
      hint = "Install it (pipx install . in a checkout), or name it: "
        .. 'require("steersman").setup({ cmd = { "/path/to/steersman", "lsp" } }).',
    })
  end
  wanted.name = lsp.NAME
  wanted.root_dir = root
  local id = vim.lsp.start(wanted, { attach = false })
  local started = id and vim.lsp.get_client_by_id(id)
  if not started then
    return on_ready(nil, { message = "The server could not be started.", hint = "See :messages." })
  end
  when_ready(started, on_ready)
end

--- Read an error answer.
---@param error lsp.ResponseError
---@return steersman.Failure
local function failure_of(error)
  local data = type(error.data) == "table" and error.data or {}
  return { message = error.message, kind = data.kind, hint = data.hint }
end

--- Send a command; `on_answer` gets its result, or what went wrong, also when the server ends before it answers.
---@param client vim.lsp.Client
---@param name string without `steersman.`
---@param params table<string, any>
---@param on_answer? fun(result?: table<string, any>, failure?: steersman.Failure)
function M.command(client, name, params, on_answer)
  local argument = vim.tbl_isempty(params) and vim.empty_dict() or params
  local sent = { command = "steersman." .. name, arguments = { argument } }
  local waiting = unanswered[client.id] or {}
  unanswered[client.id] = waiting
  local function answer(result, failure)
    waiting[answer] = nil
    if on_answer then
      safely.call(on_answer, result, failure)
    end
  end
  waiting[answer] = true
  local taken = client:request("workspace/executeCommand", sent, function(error, result)
    if waiting[answer] then
      answer(result, error and failure_of(error))
    end
  end)
  if not taken and waiting[answer] then
    answer(nil, { message = "The server is gone." })
  end
end

--- The server has ended: so there will be no answers.
---@param client_id integer
function M.on_server_gone(client_id)
  local waiting = unanswered[client_id] or {}
  unanswered[client_id] = nil
  for _, answer in ipairs(vim.tbl_keys(waiting)) do
    answer(nil, {
      message = "The server has ended before it answered.",
      hint = "What had been recorded is kept (:SteersmanSessions); the server's words are in "
        .. vim.lsp.get_log_path()
        .. ".",
    })
  end
end

--- Tell a person what went wrong.
---@param failure steersman.Failure
function M.report(failure)
  local text = "Steersman: " .. failure.message .. (failure.hint and " " .. failure.hint or "")
  vim.notify(text, vim.log.levels.ERROR, { title = "Steersman" })
end

return M

--- Code actions and lenses: everything that is wrong at the cursor goes along, and instruction comments get a lens.

local config = require("steersman.config")
local documents = require("steersman.documents")
local lsp = require("steersman.lsp")

local M = {}

--- Add what other servers find wrong in the range; Neovim passes on only what the asked server itself reported.
---@param client vim.lsp.Client
---@param params lsp.CodeActionParams
---@param buf integer
local function add_diagnostics(client, params, buf)
  local first, last = params.range.start.line, params.range["end"].line
  local found = vim.tbl_filter(function(diagnostic)
    return diagnostic.lnum <= last and (diagnostic.end_lnum or diagnostic.lnum) >= first
  end, vim.diagnostic.get(buf))
  params.context.diagnostics = vim.tbl_map(function(diagnostic)
    return documents.to_lsp(diagnostic, client.offset_encoding)
  end, found)
end

---@type table<integer, true> clients whose requests are watched
local watched = {}

---@param client vim.lsp.Client
local function watch_requests(client)
  if watched[client.id] then
    return
  end
  watched[client.id] = true
  local request = client.request
  ---@diagnostic disable-next-line: duplicate-set-field
  client.request = function(self, method, params, handler, buf)
    if method == "textDocument/codeAction" then
      add_diagnostics(self, params, vim._resolve_bufnr and vim._resolve_bufnr(buf) or buf or 0)
    end
    return request(self, method, params, handler, buf)
  end
end

---@param client vim.lsp.Client
---@param buf integer
local function refresh_lenses(client, buf)
  if client:is_stopped() or not client:supports_method("textDocument/codeLens") then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(buf) }
  client:request("textDocument/codeLens", params, vim.lsp.codelens.on_codelens, buf)
end

--- The server sees a buffer now.
---@param client_id integer
---@param buf integer
function M.on_attach(client_id, buf)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or client.name ~= lsp.NAME then
    return
  end
  watch_requests(client)
  if not config.get().code_lens then
    return
  end
  refresh_lenses(client, buf)
  local group = vim.api.nvim_create_augroup(("steersman.lens.%d"):format(buf), {})
  vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged", "BufWritePost" }, {
    group = group,
    buffer = buf,
    callback = function()
      refresh_lenses(client, buf)
    end,
  })
end

return M

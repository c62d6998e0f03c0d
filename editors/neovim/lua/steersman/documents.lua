--- What the server asks about open files: have them edited or saved, tell what is wrong in them.

local M = {}

--- Return the loaded buffer of a URI, or nil.
---@param uri string
---@return integer?
local function buffer_of(uri)
  local path = vim.fs.normalize(vim.uri_to_fname(uri))
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buf) -- `bufnr()` would take the path for a pattern
    return vim.api.nvim_buf_is_loaded(buf) and vim.fs.normalize(vim.api.nvim_buf_get_name(buf)) == path
  end)
end

--- Whether an edit was made for a text that is not there any more.
---@param edit lsp.WorkspaceEdit
---@return boolean
local function is_stale(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    local document = change.textDocument
    if document and type(document.version) == "number" then
      if vim.lsp.util.buf_versions[vim.uri_to_bufnr(document.uri)] ~= document.version then
        return true
      end
    end
  end
  return false
end

--- `workspace/applyEdit`, as Neovim does it, but without a message for each, and never claimed when nothing was done.
---@type lsp.Handler
function M.on_apply_edit(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if is_stale(params.edit) then
    return { applied = false, failureReason = "the buffer has changed since" }
  end
  local encoding = client and client.offset_encoding or "utf-16"
  local ok, reason = pcall(vim.lsp.util.apply_workspace_edit, params.edit, encoding)
  return { applied = ok, failureReason = not ok and tostring(reason) or nil }
end

--- Save one buffer, with its autocommands, and never with a dialog: a file that changed on the disk is not overwritten.
---@param buf integer
---@return boolean saved
local function save(buf)
  local changed_on_disk = false
  local watch = vim.api.nvim_create_autocmd("FileChangedShell", {
    buffer = buf,
    callback = function()
      changed_on_disk = true
      vim.v.fcs_choice = ""
    end,
  })
  vim.cmd.checktime({ args = { tostring(buf) }, mods = { silent = true } })
  vim.api.nvim_del_autocmd(watch)
  if changed_on_disk then
    return false
  end
  local ok = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd.update({ mods = { silent = true, lockmarks = true } })
  end)
  return ok and not vim.bo[buf].modified
end

--- `steersman/saveDocuments`.
---@type lsp.Handler
function M.on_save(_, params)
  local saved = {}
  for _, uri in ipairs(params.uris) do
    local buf = buffer_of(uri)
    if buf and save(buf) then
      saved[#saved + 1] = uri
    end
  end
  return { saved = saved }
end

--- Return a position of Neovim's (bytes) as one of the LSP's; the line is all that is needed of a buffer not loaded.
---@param buf integer
---@param line integer from 0
---@param column integer in bytes
---@param encoding string
---@return lsp.Position
function M.position(buf, line, column, encoding)
  local text = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ""
  return { line = line, character = vim.str_utfindex(text, encoding, math.min(column, #text), false) }
end

--- Return a diagnostic as the LSP has it.
---@param diagnostic vim.Diagnostic
---@param encoding string
---@return lsp.Diagnostic
function M.to_lsp(diagnostic, encoding)
  local buf, code = diagnostic.bufnr, diagnostic.code
  return {
    range = {
      start = M.position(buf, diagnostic.lnum, diagnostic.col, encoding),
      ["end"] = M.position(buf, diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col, encoding),
    },
    message = diagnostic.message,
    severity = diagnostic.severity --[[@as integer]],
    source = diagnostic.source,
    code = (type(code) == "number" or type(code) == "string") and code or nil,
  }
end

--- Whether anything but the asking server looks at these files: another server, or what sets diagnostics by itself.
---@param bufs integer[]
---@param asking integer the asking client
---@return boolean
local function is_watched(bufs, asking)
  for _, namespace in pairs(vim.diagnostic.get_namespaces()) do
    if not namespace.name:find("^n?vim%.lsp%.") then
      return true
    end
  end
  return vim.iter(bufs):any(function(buf)
    return vim.iter(vim.lsp.get_clients({ bufnr = buf })):any(function(client)
      return client.id ~= asking
    end)
  end)
end

--- `steersman/diagnostics`.
---@type lsp.Handler
function M.on_diagnostics(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local encoding = client and client.offset_encoding or "utf-16"
  ---@type table<string, integer>
  local wanted = {}
  if type(params.uris) == "table" then
    for _, uri in ipairs(params.uris) do
      wanted[uri] = buffer_of(uri)
    end
  else
    for _, diagnostic in ipairs(vim.diagnostic.get()) do
      wanted[vim.uri_from_bufnr(diagnostic.bufnr)] = diagnostic.bufnr
    end
  end
  local items = {}
  for uri, buf in pairs(wanted) do
    local diagnostics = vim.tbl_map(function(diagnostic)
      return M.to_lsp(diagnostic, encoding)
    end, vim.diagnostic.get(buf))
    items[#items + 1] = { uri = uri, diagnostics = diagnostics }
  end
  return { items = items, watched = is_watched(vim.tbl_values(wanted), context.client_id) }
end

return M

--- What the person looks at: the file, the selected text, and what is wrong there.

local documents = require("steersman.documents")
local roots = require("steersman.roots")

local M = {}

---@class steersman.Place a place in a buffer, from 0, in bytes
---@field line integer
---@field column integer

---@class steersman.Context what was looked at when a task was given
---@field buf integer
---@field first steersman.Place
---@field last steersman.Place exclusive
---@field diagnostics vim.Diagnostic[]

--- Return where the lines begin and end; the selected characters, when exactly these lines were selected by character.
---@param buf integer
---@param first integer from 1
---@param last integer from 1
---@return steersman.Place, steersman.Place
local function places(buf, first, last)
  local from = vim.api.nvim_buf_get_mark(buf, "<")
  local to = vim.api.nvim_buf_get_mark(buf, ">")
  local text = vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1] or ""
  if from[1] == first and to[1] == last and vim.fn.visualmode() == "v" and buf == vim.api.nvim_get_current_buf() then
    local after = to[2] >= #text and #text or to[2] + #vim.fn.strpart(text, to[2], 1, true)
    return { line = first - 1, column = from[2] }, { line = last - 1, column = after }
  elseif last < vim.api.nvim_buf_line_count(buf) then
    return { line = first - 1, column = 0 }, { line = last, column = 0 }
  end
  return { line = first - 1, column = 0 }, { line = last - 1, column = #text }
end

--- Take in what the person looks at; nil when it is no file.
---@param buf integer
---@param range? { [1]: integer, [2]: integer } first and last line, from 1; without one, the cursor's line counts
---@return steersman.Context?
function M.capture(buf, range)
  if not roots.is_file(buf) then
    return nil
  end
  local cursor = vim.api.nvim_win_get_buf(0) == buf and vim.api.nvim_win_get_cursor(0)[1] or 1
  local first, last = cursor, cursor
  local from, to = { line = cursor - 1, column = 0 }, { line = cursor - 1, column = 0 }
  if range then
    first, last = range[1], range[2]
    from, to = places(buf, first, last)
  end
  local diagnostics = vim.tbl_filter(function(diagnostic)
    return diagnostic.lnum < last and (diagnostic.end_lnum or diagnostic.lnum) >= first - 1
  end, vim.diagnostic.get(buf))
  return { buf = buf, first = from, last = to, diagnostics = diagnostics }
end

--- Return the context as `steersman.run` takes it.
---@param context steersman.Context
---@param encoding string the client's
---@return table<string, any>? nil: its buffer was wiped out since
function M.params(context, encoding)
  if not vim.api.nvim_buf_is_valid(context.buf) then
    return nil
  end
  return {
    uri = vim.uri_from_bufnr(context.buf),
    selection = {
      start = documents.position(context.buf, context.first.line, context.first.column, encoding),
      ["end"] = documents.position(context.buf, context.last.line, context.last.column, encoding),
    },
    diagnostics = #context.diagnostics > 0 and vim.tbl_map(function(diagnostic)
      return documents.to_lsp(diagnostic, encoding)
    end, context.diagnostics) or nil,
  }
end

return M

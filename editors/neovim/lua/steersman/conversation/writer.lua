--- Writes a conversation's buffer: at its end, and into lines that it knows. Windows that show the end follow.

local M = {}

local namespace = vim.api.nvim_create_namespace("steersman.conversation")

---@class steersman.Writer
---@field buf integer
---@field private levels string[] the fold level of each line, as 'foldexpr' takes it
---@field private fold string the level of lines that are appended now
local Writer = {}
Writer.__index = Writer

---@type table<integer, steersman.Writer>
local writers = {}

---@param buf integer an empty buffer that nobody else writes
---@return steersman.Writer
function M.new(buf)
  local writer = setmetatable({ buf = buf, levels = { "0" }, fold = "0" }, Writer)
  writers[buf] = writer
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = function()
      writers[buf] = nil
    end,
  })
  return writer
end

--- 'foldexpr' of a conversation's window.
---@return string
function M.foldexpr()
  local writer = writers[vim.api.nvim_get_current_buf()]
  return writer and writer.levels[vim.v.lnum] or "0"
end

---@return integer[] the windows that show the buffer and stand at its end
function Writer:followers()
  local last = vim.api.nvim_buf_line_count(self.buf)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= last
  end, vim.fn.win_findbuf(self.buf))
end

--- Change the buffer from within; the windows at its end stay there.
---@param change fun()
function Writer:write(change)
  if not vim.api.nvim_buf_is_valid(self.buf) then
    return
  end
  local followers = self:followers()
  vim.bo[self.buf].modifiable = true
  change()
  vim.bo[self.buf].modifiable = false
  vim.bo[self.buf].modified = false
  local last = vim.api.nvim_buf_line_count(self.buf)
  for _, window in ipairs(followers) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

--- Return the number of lines; an empty buffer has none.
---@return integer
function Writer:count()
  local count = vim.api.nvim_buf_line_count(self.buf)
  return count == 1 and vim.api.nvim_buf_get_lines(self.buf, 0, 1, false)[1] == "" and 0 or count
end

--- Append whole lines. (Fold levels are set first: Neovim asks for them while the text changes.)
---@param lines string[]
---@param group? string a highlight group for all of them
---@return integer first the first one's number, from 0
function Writer:append(lines, group)
  local first = self:count()
  for offset = 1, #lines do
    self.levels[first + offset] = self.fold
  end
  self:write(function()
    vim.api.nvim_buf_set_lines(self.buf, first, -1, false, lines)
  end)
  if group then
    self:highlight(first, first + #lines, group)
  end
  return first
end

--- Append a line that stays visible while what is appended after it is folded away, until `end_fold`.
---@param line string
---@param group? string
---@return integer number its number, from 0
function Writer:begin_fold(line, group)
  self.fold = ">1"
  local number = self:append({ line }, group)
  self.fold = "1"
  return number
end

function Writer:end_fold()
  self.fold = "0"
end

--- Append to the last fold again.
function Writer:resume_fold()
  self.fold = "1"
end

--- Append an empty line unless there is one, or nothing, before.
function Writer:gap()
  local count = self:count()
  if count > 0 and vim.api.nvim_buf_get_lines(self.buf, count - 1, count, false)[1] ~= "" then
    self:append({ "" })
  end
end

--- Add text to the last line, which may begin further lines.
---@param lines string[] the first goes on with the last line
function Writer:extend(lines)
  local last = math.max(self:count() - 1, 0)
  for offset = 2, #lines do
    self.levels[last + offset] = self.fold
  end
  self:write(function()
    local text = vim.api.nvim_buf_get_lines(self.buf, last, last + 1, false)[1] or ""
    vim.api.nvim_buf_set_text(self.buf, last, #text, last, #text, lines)
  end)
end

--- Remove everything from a line on.
---@param first integer from 0
function Writer:remove_tail(first)
  for number = first + 1, #self.levels do
    self.levels[number] = nil
  end
  self:write(function()
    vim.api.nvim_buf_set_lines(self.buf, first, -1, false, {})
  end)
end

--- Replace one line.
---@param number integer from 0
---@param line string
function Writer:replace_line(number, line)
  self:write(function()
    vim.api.nvim_buf_set_lines(self.buf, number, number + 1, false, { line })
    -- Neovim forgets the level of the last line when an earlier line of its fold changes: let it ask again.
    local last = vim.api.nvim_buf_line_count(self.buf) - 1
    vim.api.nvim_buf_set_lines(self.buf, last, last + 1, false, vim.api.nvim_buf_get_lines(self.buf, last, -1, false))
  end)
end

--- Highlight whole lines.
---@param first integer from 0
---@param last integer exclusive
---@param group string
function Writer:highlight(first, last, group)
  for number = first, last - 1 do
    local length = #(vim.api.nvim_buf_get_lines(self.buf, number, number + 1, false)[1] or "")
    self:highlight_part(number, 0, length, group)
  end
end

--- Highlight a part of a line.
---@param number integer from 0
---@param from integer in bytes
---@param to integer exclusive
---@param group string
function Writer:highlight_part(number, from, to, group)
  vim.api.nvim_buf_set_extmark(self.buf, namespace, number, from, { end_col = to, hl_group = group, priority = 150 })
end

--- Remove the highlights of a line.
---@param number integer from 0
function Writer:clear_line(number)
  vim.api.nvim_buf_clear_namespace(self.buf, namespace, number, number + 1)
end

--- Show lines below the last one that are no text of the buffer; nil removes them.
---@param mark? integer the one shown before
---@param lines? { [1]: string, [2]: string }[][]
---@return integer? mark
function Writer:set_footer(mark, lines)
  if not vim.api.nvim_buf_is_valid(self.buf) then
    return nil
  end
  if mark then
    vim.api.nvim_buf_del_extmark(self.buf, namespace, mark)
  end
  if not lines then
    return nil
  end
  local last = vim.api.nvim_buf_line_count(self.buf) - 1
  return vim.api.nvim_buf_set_extmark(self.buf, namespace, last, 0, { virt_lines = lines })
end

return M

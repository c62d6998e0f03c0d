--- Where conversations are seen: their window's place, its options, and its bar.

local config = require("steersman.config")
local text = require("steersman.text")

local M = {}

---@type table<string, any>
local window_options = {
  wrap = true,
  linebreak = true,
  breakindent = true,
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  foldenable = true,
  foldmethod = "expr",
  foldexpr = "v:lua.require'steersman.conversation.writer'.foldexpr()",
  foldtext = "",
  foldlevel = 0,
  fillchars = "fold: ",
  spell = false,
  list = false,
  cursorline = false,
  colorcolumn = "",
  winfixwidth = true,
  winfixheight = true,
  winbar = "%{%v:lua.require'steersman.conversation.window'.bar()%}",
}

--- Give a window that shows a conversation its options; another buffer in it has its own again.
---@param window integer
function M.dress(window)
  for name, value in pairs(window_options) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = "local" })
  end
end

--- Return the window of this tab page that shows the buffer.
---@param buf integer
---@return integer?
function M.find(buf)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buf then
      return window
    end
  end
end

---@param size number
---@param whole integer
---@return integer
local function cells(size, whole)
  local wanted = size < 1 and math.floor(whole * size) or math.floor(size)
  return math.max(math.min(wanted, whole - 10), 10)
end

--- Return a window of this tab page that shows another conversation.
---@return integer?
local function any()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local is_float = vim.api.nvim_win_get_config(window).relative ~= ""
    if not is_float and vim.bo[vim.api.nvim_win_get_buf(window)].filetype == "steersman" then
      return window
    end
  end
end

--- Show a conversation in this tab page, in the window of another one if there is one.
---@param buf integer
---@param focus boolean go there
---@return integer window
function M.open(buf, focus)
  local window = M.find(buf) or any()
  local options = config.get().conversation
  if not window and options.position == "tab" then
    local before = vim.api.nvim_get_current_tabpage()
    vim.cmd.tabnew()
    window = vim.api.nvim_get_current_win()
    if not focus then
      vim.api.nvim_set_current_tabpage(before)
    end
  elseif not window then
    local below = options.position == "below"
    window = vim.api.nvim_open_win(buf, false, {
      split = options.position,
      win = -1,
      width = not below and cells(options.size, vim.o.columns) or nil,
      height = below and cells(options.size, vim.o.lines - vim.o.cmdheight) or nil,
    })
  end
  if vim.api.nvim_win_get_buf(window) ~= buf then
    vim.api.nvim_win_set_buf(window, buf)
  end
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buf), 0 })
  if focus then
    vim.api.nvim_set_current_win(window)
  end
  return window
end

--- Close the windows of this tab page that show the buffer; the last window of all shows another buffer instead.
---@param buf integer
function M.close(buf)
  for _, window in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_tabpage(window) == vim.api.nvim_get_current_tabpage() then
      if not pcall(vim.api.nvim_win_close, window, false) then
        vim.api.nvim_win_call(window, function()
          vim.cmd.enew()
        end)
      end
    end
  end
end

--- 'winbar' of a conversation's window.
---@return string
function M.bar()
  local window = vim.g.statusline_winid or vim.api.nvim_get_current_win()
  local conversation = require("steersman.conversation").of_buffer(vim.api.nvim_win_get_buf(window))
  if not conversation then
    return ""
  end
  local escape = function(shown)
    return (shown:gsub("%%", "%%%%"))
  end
  local room = vim.api.nvim_win_get_width(window)
  local state = text.clip(text.one_line(conversation:state()), math.max(math.floor(room * 0.6), 10))
  local title = text.clip(conversation.title, math.max(room - vim.fn.strdisplaywidth(state) - 4, 8))
  return ("%%#SteersmanPrompt# %s %%=%%#SteersmanNote#%s "):format(escape(title), escape(state))
end

return M

--- A small window to write in: a task, an answer, a word into a run. Enter sends, in insert mode too.

local M = {}

local MIN_LINES, MAX_LINES = 3, 12

---@class steersman.Compose
---@field title string
---@field draft? string text to begin with
---@field window? integer the window at whose foot it stands; without one, the middle of the screen
---@field on_send fun(text: string)
---@field on_close? fun(draft: string) closed without being sent

---@param options steersman.Compose
---@param lines integer
---@return vim.api.keyset.win_config
local function place(options, lines)
  local height = math.min(math.max(lines, MIN_LINES), MAX_LINES)
  local shared = {
    border = "rounded",
    title = " " .. options.title .. " ",
    footer = " Enter sends · Ctrl-J new line · q or Esc Esc leaves ",
    footer_pos = "right",
    style = "minimal",
    height = height,
    zindex = 60,
  }
  if options.window and vim.api.nvim_win_is_valid(options.window) then
    local width = vim.api.nvim_win_get_width(options.window)
    return vim.tbl_extend("error", shared, {
      relative = "win",
      win = options.window,
      anchor = "SW",
      row = vim.api.nvim_win_get_height(options.window),
      col = 0,
      width = math.max(width - 2, 10),
    })
  end
  local width = math.max(math.min(80, vim.o.columns - 4), 10)
  return vim.tbl_extend("error", shared, {
    relative = "editor",
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
  })
end

--- Open it and go there.
---@param options steersman.Compose
function M.open(options)
  local from = vim.api.nvim_get_current_win()
  local buf = vim.api.nvim_create_buf(false, true)
  local lines = vim.split(options.draft or "", "\n", { plain = true })
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].filetype = "markdown"
  local window = vim.api.nvim_open_win(buf, true, place(options, #lines))
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  vim.api.nvim_win_set_cursor(window, { #lines, #lines[#lines] })

  local sent = false
  local function content()
    return vim.trim(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n"))
  end
  local function close()
    if vim.api.nvim_win_is_valid(window) then
      vim.cmd.stopinsert()
      vim.api.nvim_win_close(window, true)
    end
    if vim.api.nvim_win_is_valid(from) then
      vim.api.nvim_set_current_win(from)
    end
  end
  local function send()
    local written = content()
    if written ~= "" then
      sent = true
      close()
      local ok, problem = pcall(options.on_send, written)
      if not ok then
        if options.on_close then
          options.on_close(written)
        end
        error(problem, 0)
      end
    end
  end

  vim.keymap.set({ "n", "i" }, "<CR>", send, { buffer = buf, desc = "Send" })
  vim.keymap.set("i", "<C-j>", "<CR>", { buffer = buf, desc = "New line" })
  vim.keymap.set("n", "q", close, { buffer = buf, desc = "Leave" })
  vim.keymap.set("n", "<Esc>", close, { buffer = buf, desc = "Leave" })
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    buffer = buf,
    callback = function()
      vim.api.nvim_win_set_config(window, place(options, vim.api.nvim_buf_line_count(buf)))
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = function()
      if not sent and options.on_close then
        options.on_close(content())
      end
    end,
  })
  vim.cmd.startinsert({ bang = true })
end

return M

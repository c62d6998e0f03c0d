--- The window of a question. It never takes the keys of somebody who is typing: it appears at the side, and grows when
--- it is entered.

local content = require("steersman.approval.content")
local config = require("steersman.config")

local M = {}

local namespace = vim.api.nvim_create_namespace("steersman.question")

---@class steersman.QuestionWindow
---@field buf integer
---@field window integer
---@field close fun() close it, whoever is in it
---@field arm fun() its answers count from now on

---@class steersman.QuestionActions
---@field answer fun(id: string) a key of an answer was pressed
---@field later fun() hide it
---@field stop fun() stop the run
---@field side_by_side fun()
---@field closed fun() the window is gone, by any way

---@param made steersman.QuestionContent
---@param entered boolean
---@return vim.api.keyset.win_config
local function place(made, entered)
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  local longest = #made.title
  for _, line in ipairs(made.lines) do
    longest = math.max(longest, vim.fn.strdisplaywidth(line) + 1)
  end
  local width = math.max(math.min(longest, columns - 6, entered and 120 or 64), 20)
  local height = math.max(math.min(#made.lines, entered and math.floor(lines * 0.8) or 14, lines - 4), 1)
  local later = config.get().question.keys.later
  return {
    relative = "editor",
    anchor = entered and "NW" or "SE",
    row = entered and math.max(math.floor((lines - height) / 2) - 1, 0) or lines,
    col = entered and math.floor((columns - width) / 2) or columns,
    width = width,
    height = height,
    border = "rounded",
    title = " " .. made.title .. " ",
    footer = entered and (" %s later · %s %s hunks · %s side by side "):format(
      later,
      config.get().question.keys.previous_hunk,
      config.get().question.keys.next_hunk,
      config.get().question.keys.side_by_side
    ) or " :SteersmanAnswer ",
    footer_pos = "right",
    style = "minimal",
    zindex = 55,
  }
end

---@param made steersman.QuestionContent
---@return integer
local function make_buffer(made)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, made.lines)
  for _, each in ipairs(made.groups) do
    vim.api.nvim_buf_set_extmark(buf, namespace, each.line - 1, each.from, { end_col = each.to, hl_group = each.group })
  end
  vim.api.nvim_buf_set_name(buf, ("steersman://question/%d"):format(buf))
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = "steersman-question"
  return buf
end

--- Go to the next or previous hunk.
---@param made steersman.QuestionContent
---@param step 1|-1
local function go_to_hunk(made, step)
  local here = vim.api.nvim_win_get_cursor(0)[1]
  local found
  for _, line in ipairs(made.hunks) do
    if step > 0 and line > here then
      found = found or line
    elseif step < 0 and line < here then
      found = line
    end
  end
  if found then
    vim.api.nvim_win_set_cursor(0, { found, 0 })
    vim.cmd.normal({ "zt", bang = true })
  end
end

--- Show a question.
---@param params steersman.QuestionParams
---@param enter boolean go there
---@param guard_ms? integer answers do not count before it is drawn and this time has passed: keys on their way were
---  meant for something else; nil: they count at once
---@param actions steersman.QuestionActions
---@return steersman.QuestionWindow
function M.open(params, enter, guard_ms, actions)
  local armed = not (enter and guard_ms)
  local made, keys = content.make(params), config.get().question.keys
  local from = vim.api.nvim_get_current_win()
  local buf = make_buffer(made)
  local window = vim.api.nvim_open_win(buf, enter, place(made, enter))
  vim.wo[window].wrap = true
  vim.wo[window].cursorline = enter

  local function close()
    local was_inside = vim.api.nvim_get_current_win() == window
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
    if was_inside and vim.api.nvim_win_is_valid(from) then
      vim.api.nvim_set_current_win(from)
    end
  end
  local function map(key, what, action)
    vim.keymap.set("n", key, action, { buffer = buf, desc = "Steersman: " .. what, nowait = true })
  end
  for _, answer in ipairs(content.answers(params)) do
    map(answer.key, answer.label, function()
      if armed then
        actions.answer(answer.id)
      end
    end)
  end
  map(keys.later, "later", actions.later)
  map("<Esc>", "later", actions.later)
  map(config.get().conversation.keys.stop, "stop the run", actions.stop)
  map(keys.side_by_side, "side by side", actions.side_by_side)
  map(keys.next_hunk, "next hunk", function()
    go_to_hunk(made, 1)
  end)
  map(keys.previous_hunk, "previous hunk", function()
    go_to_hunk(made, -1)
  end)

  local group = vim.api.nvim_create_augroup("steersman.question." .. buf, {})
  vim.api.nvim_create_autocmd({ "WinEnter", "WinLeave", "VimResized" }, {
    group = group,
    callback = function(event)
      if vim.api.nvim_win_is_valid(window) then
        local inside = event.event ~= "WinLeave" and vim.api.nvim_get_current_win() == window
        vim.api.nvim_win_set_config(window, place(made, inside))
        vim.wo[window].cursorline = inside
      end
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    once = true,
    callback = function()
      vim.api.nvim_del_augroup_by_id(group)
      actions.closed()
    end,
  })
  local function arm()
    armed = true
  end
  if not armed then
    vim.cmd.redraw()
    vim.defer_fn(arm, guard_ms --[[@as integer]]) -- a timer has its turn only after the keys that wait by now
  end
  return { buf = buf, window = window, close = close, arm = arm }
end

--- Show the changes in a tab page of their own, old beside new.
---@param params steersman.QuestionParams
function M.side_by_side(params)
  local opened = false
  for _, change in ipairs(params.changes) do
    local old, new = change.before, change.after
    if type(old) == "string" or type(new) == "string" then
      local name = vim.uri_to_fname(change.uri)
      local language = vim.filetype.match({ filename = name })
      for index, side in ipairs({ type(old) == "string" and old or "", type(new) == "string" and new or "" }) do
        local buf = vim.api.nvim_create_buf(false, true)
        vim.api.nvim_buf_set_lines(buf, 0, -1, false, require("steersman.text").lines(side))
        vim.bo[buf].bufhidden = "wipe"
        vim.bo[buf].modifiable = false
        vim.bo[buf].syntax = language or ""
        if index == 1 then
          vim.cmd.tabnew()
        else
          vim.cmd.vsplit({ mods = { split = "belowright" } })
        end
        vim.api.nvim_win_set_buf(0, buf)
        vim.wo[0][0].winbar = (index == 1 and "before: " or "after: ") .. vim.fs.basename(name):gsub("%%", "%%%%")
        vim.cmd.diffthis()
        vim.keymap.set("n", "q", vim.cmd.tabclose, { buffer = buf, desc = "Steersman: close" })
      end
      opened = true
    end
  end
  if not opened then
    vim.notify("Steersman: there are no texts to lay side by side.", vim.log.levels.INFO, { title = "Steersman" })
  end
end

return M

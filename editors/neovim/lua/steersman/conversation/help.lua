--- Shows the keys of a conversation.

local M = {}

--- Show the keys that a buffer has of ours.
---@param buf integer
function M.show(buf)
  local lines = {}
  for _, map in ipairs(vim.api.nvim_buf_get_keymap(buf, "n")) do
    local what = map.desc and map.desc:match("^Steersman: (.*)$")
    if what then
      lines[#lines + 1] = (" %-8s %s "):format(map.lhs, what)
    end
  end
  table.sort(lines)
  vim.lsp.util.open_floating_preview(lines, "", { border = "rounded", title = " Keys ", focus_id = "steersman-keys" })
end

return M

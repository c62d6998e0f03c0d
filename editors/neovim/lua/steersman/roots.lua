--- Which folder a file belongs to: the one with a marker above it, else the current one.

local config = require("steersman.config")

local M = {}

--- Whether a path lies in a folder, or is it.
---@param path string
---@param folder string
---@return boolean
function M.is_inside(path, folder)
  path, folder = vim.fs.normalize(path), vim.fs.normalize(folder):gsub("/$", "")
  return path == folder or vim.startswith(path, folder .. "/")
end

--- Whether a buffer is a file: on a disk, or about to be.
---@param buf integer
---@return boolean
function M.is_file(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.bo[buf].buftype == "" and name ~= "" and not name:find("^%a[%w+.-]+://")
end

--- Return the folder to work in for a buffer that nobody asked about, or nil to leave it alone.
---@param buf integer
---@return string?
function M.of_file(buf)
  if not M.is_file(buf) then
    return nil
  end
  local marked = vim.fs.root(buf, config.get().root_markers)
  if marked then
    return marked
  end
  local here = vim.fn.getcwd()
  local too_wide = here == "/" or M.is_inside(vim.uv.os_homedir() or "/", here)
  return not too_wide and M.is_inside(vim.api.nvim_buf_get_name(buf), here) and here or nil
end

--- Return the folder to work in for a buffer that a person starts a task from.
---@param buf integer
---@return string
function M.for_task(buf)
  local found = M.of_file(buf)
  if found then
    return found
  elseif M.is_file(buf) then
    return vim.fs.dirname(vim.api.nvim_buf_get_name(buf))
  end
  local conversations = package.loaded["steersman.conversation"]
  local conversation = conversations and conversations.of_buffer(buf)
  if conversation then
    return conversation.root
  end
  local here = vim.fn.getcwd()
  return vim.fs.root(here, config.get().root_markers) or here
end

return M

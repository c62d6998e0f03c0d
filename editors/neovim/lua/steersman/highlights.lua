--- Highlight groups, all linked to standard ones so that every colour scheme fits.

local M = {}

---@type table<string, string>
M.links = {
  SteersmanPrompt = "Title",
  SteersmanTool = "Normal",
  SteersmanRunning = "DiagnosticInfo",
  SteersmanOk = "DiagnosticOk",
  SteersmanError = "DiagnosticError",
  SteersmanQuestion = "DiagnosticWarn",
  SteersmanNote = "Comment",
  SteersmanEnding = "Comment",
  SteersmanAdded = "Added",
  SteersmanRemoved = "Removed",
  SteersmanHunk = "Changed",
  SteersmanKey = "Special",
  SteersmanWarning = "WarningMsg",
}

--- Define the groups, leaving alone what a colour scheme or the person has set.
function M.define()
  for group, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
end

return M

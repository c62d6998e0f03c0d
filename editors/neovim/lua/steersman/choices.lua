--- The mode and the model that a person chose for the runs to come.

local config = require("steersman.config")

local M = {}

---@type { mode?: steersman.Mode, model?: string }
local chosen = {}

---@return steersman.Mode?
function M.mode()
  return chosen.mode or config.get().mode
end

---@return string?
function M.model()
  return chosen.model
end

---@param mode? steersman.Mode nil: as configured
function M.set_mode(mode)
  chosen.mode = mode
end

---@param model? string nil: as configured, or the session's
function M.set_model(model)
  chosen.model = model
end

return M

--- Chooses the mode and the model: for the runs to come, and the mode for those at work.

local choices = require("steersman.choices")
local client = require("steersman.client")
local config = require("steersman.config")
local emit = require("steersman.emit")
local lsp = require("steersman.lsp")
local pick = require("steersman.pick")
local roots = require("steersman.roots")

local M = {}

---@type string[] the models of the last list, for completion
local known_models = {}

---@return string[]
function M.known_models()
  return known_models
end

---@param mode steersman.Mode
local function set_mode(mode)
  choices.set_mode(mode)
  for _, each in ipairs(vim.lsp.get_clients({ name = lsp.NAME })) do
    client.command(each, "setMode", { mode = mode }, function(result, failure)
      if failure then
        return client.report(failure)
      end
      for _, run_id in ipairs(result and result.changed or {}) do
        local run = require("steersman.runs").get(run_id)
        if run then
          run.mode = mode
        end
      end
      emit.status()
    end)
  end
  emit.status()
end

--- Choose the mode.
---@param mode? string without one, from a list
function M.choose_mode(mode)
  if mode and mode ~= "" then
    if not vim.list_contains(config.modes, mode) then
      local known = table.concat(config.modes, ", ")
      return client.report({ message = ("There is no mode %q; there are %s."):format(mode, known) })
    end
    return set_mode(mode --[[@as steersman.Mode]])
  end
  pick.select(config.modes, {
    prompt = "Steersman may:",
    kind = "steersman_mode",
    format_item = function(each)
      local mark = each == choices.mode() and "  (now)" or ""
      return ("%-13s %s%s"):format(each, config.mode_meanings[each], mark)
    end,
  }, function(chosen)
    if chosen then
      set_mode(chosen)
    end
  end)
end

---@param model { id: string, contextWindow?: integer, inputPrice?: number, outputPrice?: number }
---@return string
local function describe(model)
  local parts = { model.id }
  if type(model.contextWindow) == "number" then
    parts[#parts + 1] = ("%dk context"):format(math.floor(model.contextWindow / 1000 + 0.5))
  end
  if type(model.inputPrice) == "number" and type(model.outputPrice) == "number" then
    parts[#parts + 1] = ("$%g in, $%g out"):format(model.inputPrice, model.outputPrice)
  end
  return table.concat(parts, " · ")
end

--- Choose the model.
---@param model? string without one, from the server's list
function M.choose_model(model)
  if model and model ~= "" then
    if not model:find("^[^/%s]+/%S+$") then
      local how = "Write provider/model, such as ollama/qwen3; :SteersmanModel without a name lists them."
      return client.report({ message = ("%q is not a model's name."):format(model), hint = how })
    end
    choices.set_model(model)
    return emit.status()
  end
  client.ensure(roots.for_task(vim.api.nvim_get_current_buf()), function(connected, unavailable)
    if not connected then
      return client.report(unavailable --[[@as steersman.Failure]])
    end
    client.command(connected, "models", {}, function(result, failure)
      if not result then
        return client.report(failure --[[@as steersman.Failure]])
      end
      known_models = vim.tbl_map(function(each)
        return each.id
      end, result.models)
      pick.select(result.models, {
        prompt = "Steersman's model:",
        kind = "steersman_model",
        format_item = describe,
      }, function(chosen)
        if chosen then
          choices.set_model(chosen.id)
          emit.status()
        end
      end)
    end)
  end)
end

return M

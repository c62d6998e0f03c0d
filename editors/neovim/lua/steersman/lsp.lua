--- The language client's configuration, and what the server may ask of the editor.
--- The handlers are loaded when the server first calls them.

local config = require("steersman.config")

local M = {}

M.NAME = "steersman"

--- Return what is sent with `initialize`: the person's options, and what this plugin can do beyond the LSP.
---@return table<string, any>
function M.init_options()
  local options = config.get()
  local sent = vim.deepcopy(options.init_options)
  sent.mode = options.mode or sent.mode
  sent.model = options.model or sent.model
  sent.client = { events = true, approvals = true, saveDocuments = true, diagnostics = true }
  return sent
end

--- Make a handler that loads its module with the first call.
---@param module string
---@param name string
---@return lsp.Handler
local function late(module, name)
  return function(...)
    return require(module)[name](...)
  end
end

---@return vim.lsp.Config
function M.config()
  return {
    cmd = { "steersman", "lsp" },
    cmd_cwd = vim.uv.os_homedir(), -- never a folder that somebody else may have filled
    root_dir = function(buf, on_dir)
      local root = config.get().attach and require("steersman.roots").of_file(buf)
      if root then
        on_dir(root)
      end
    end,
    before_init = function(params)
      params.initializationOptions = M.init_options()
    end,
    on_exit = vim.schedule_wrap(function(_, _, client_id)
      local call = require("steersman.safely").call
      call(require("steersman.runs").on_server_gone, client_id)
      call(require("steersman.client").on_server_gone, client_id)
    end),
    handlers = {
      ["steersman/event"] = late("steersman.runs", "on_event"),
      ["steersman/requestApproval"] = late("steersman.approval", "on_request"),
      ["workspace/applyEdit"] = late("steersman.documents", "on_apply_edit"),
      ["steersman/saveDocuments"] = late("steersman.documents", "on_save"),
      ["steersman/diagnostics"] = late("steersman.documents", "on_diagnostics"),
    },
  }
end

return M

--- `:checkhealth steersman`.

local lsp = require("steersman.lsp")

local M = {}

local health = vim.health
local ANSWER_MS = 5000

local function check_neovim()
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim 0.11 or newer is needed; this is " .. tostring(vim.version()))
  end
  if pcall(vim.treesitter.language.inspect, "markdown") then
    health.ok("the Markdown parser is there")
  else
    health.warn("the Markdown parser is missing: conversations have less colour", { "It ships with Neovim." })
  end
end

---@return boolean
local function check_program()
  local cmd = vim.lsp.config[lsp.NAME].cmd
  if type(cmd) ~= "table" then
    health.info("the server is started by a function of yours")
    return true
  end
  local program = vim.fn.exepath(cmd[1])
  if program == "" then
    health.error(("the program %q is not there"):format(cmd[1]), {
      "Install it: pipx install . in a checkout of Steersman",
      'or name it: require("steersman").setup({ cmd = { "/path/to/steersman", "lsp" } })',
    })
    return false
  end
  local asked = { program }
  for index = 2, #cmd do
    if cmd[index] == "lsp" then
      break
    end
    asked[#asked + 1] = cmd[index]
  end
  asked[#asked + 1] = "--version"
  local ok, done = pcall(function()
    return vim.system(asked, { text = true, cwd = vim.uv.os_homedir() }):wait(ANSWER_MS)
  end)
  if ok and done.code == 0 then
    health.ok(("%s (%s)"):format(vim.trim(done.stdout), program))
    return true
  end
  health.error(("%s does not work: %s"):format(program, ok and vim.trim(done.stderr or "") or tostring(done)))
  return false
end

---@param client vim.lsp.Client
local function check_client(client)
  local command = { command = "steersman.status", arguments = {} }
  local answer = client:request_sync("workspace/executeCommand", command, ANSWER_MS)
  if not answer or answer.err then
    return health.error("the server does not answer: " .. (answer and answer.err.message or "nothing came"))
  end
  local status = answer.result
  health.ok(("a server works in %s"):format(client.root_dir or "no folder"))
  health.info(("model %s, mode %s"):format(status.model, status.mode))
  health.info("conversations are kept in " .. status.stateDir)
  for _, run in ipairs(status.runs) do
    health.info("a run is at work: " .. run.activity)
  end
  for _, warning in ipairs(status.warnings) do
    health.warn(warning)
  end
end

function M.check()
  health.start("Steersman")
  check_neovim()
  if not check_program() then
    return
  end
  local clients = vim.lsp.get_clients({ name = lsp.NAME })
  if #clients == 0 then
    local enabled = vim.lsp.is_enabled(lsp.NAME)
    health.info("no server is running: it starts with " .. (enabled and "the next file, or " or "") .. ":Steersman")
  end
  vim.iter(clients):each(check_client)
end

return M

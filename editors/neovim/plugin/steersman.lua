-- The commands, and nothing else: everything is loaded when one of them is used, or by `require("steersman").setup()`.
if vim.g.loaded_steersman then
  return
end
vim.g.loaded_steersman = true

---@param name string
---@param description string
---@param options vim.api.keyset.user_command
---@param run fun(steersman: table, command: vim.api.keyset.create_user_command.command_args)
local function command(name, description, options, run)
  vim.api.nvim_create_user_command(
    name,
    function(arguments)
      run(require("steersman"), arguments)
    end,
    vim.tbl_extend("force", {
      desc = description,
    }, options)
  )
end

---@param candidates fun(): string[]
---@return fun(lead: string): string[]
local function complete(candidates)
  return function(lead)
    return vim.tbl_filter(function(candidate)
      return vim.startswith(candidate, lead)
    end, candidates())
  end
end

command("Steersman", "Start a task (with a range: about these lines; with !: go on with the conversation)", {
  nargs = "*",
  range = true,
  bang = true,
}, function(steersman, arguments)
  local range = arguments.range > 0 and { arguments.line1, arguments.line2 } or nil
  steersman.run(arguments.args, { range = range, continue = arguments.bang })
end)

command("SteersmanToggle", "Show or hide the conversation", {}, function(steersman)
  steersman.toggle()
end)

command("SteersmanAnswer", "Go to the open question", {}, function(steersman)
  steersman.answer()
end)

command("SteersmanStop", "Stop the run (with !: all runs)", { bang = true }, function(steersman, arguments)
  steersman.stop(arguments.bang)
end)

command("SteersmanSessions", "Choose a conversation that was kept", { nargs = "*" }, function(steersman, arguments)
  steersman.sessions(arguments.args)
end)

command("SteersmanRewind", "Go back to an earlier message (with !: take the last rewind back)", {
  bang = true,
}, function(steersman, arguments)
  if arguments.bang then
    steersman.undo_rewind()
  else
    steersman.rewind()
  end
end)

command("SteersmanMode", "Choose what runs may do without asking", {
  nargs = "?",
  complete = complete(function()
    return require("steersman.config").modes
  end),
}, function(steersman, arguments)
  steersman.mode(arguments.args)
end)

command("SteersmanModel", "Choose the model of the runs to come", {
  nargs = "?",
  complete = complete(function()
    return require("steersman.modes").known_models()
  end),
}, function(steersman, arguments)
  steersman.model(arguments.args)
end)

-- Runs luacheck inside Neovim (`nvim -l luacheck.lua LIBRARY PATH…`): no other Lua is needed.
-- LIBRARY is the folder that holds `luacheck/`; any warning fails.
package.path = arg[1] .. "/?.lua;" .. arg[1] .. "/?/init.lua;" .. package.path
local luacheck = require("luacheck")

local options = { std = "luajit", globals = { "vim" }, max_line_length = 120, self = false }

---@param line string
local function say(line)
  io.stdout:write(line, "\n")
end

local files = {}
for index = 2, #arg do
  vim.list_extend(
    files,
    vim.fs.find(function(name)
      return name:match("%.lua$") ~= nil
    end, { path = arg[index], limit = math.huge, type = "file" })
  )
end
table.sort(files)

local report = luacheck.check_files(files, options)
for number, found in ipairs(report) do
  if found.fatal then
    say(("%s: %s"):format(files[number], found.msg or found.fatal))
  end
  for _, issue in ipairs(found) do
    local where = ("%s:%d:%d"):format(files[number], issue.line, issue.column)
    say(("%s: (W%s) %s"):format(where, issue.code, luacheck.get_message(issue)))
  end
end
say(("luacheck: %d files, %d warnings, %d errors"):format(#files, report.warnings, report.errors + report.fatals))
os.exit(report.warnings + report.errors + report.fatals == 0 and 0 or 1)

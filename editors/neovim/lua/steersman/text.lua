--- Small texts: lines, clipped and with nothing hidden in them. Changes nothing but what is shown.

local M = {}

--- First and last code points of what a screen does not show, or that reorders what stands around it.
-- stylua: ignore
local hidden = {
  { 0x0, 0x8 }, { 0xB, 0xC }, { 0xE, 0x1F }, { 0x7F, 0x9F }, { 0xAD, 0xAD }, { 0x34F, 0x34F }, { 0x600, 0x605 },
  { 0x61C, 0x61C }, { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 }, { 0x180B, 0x180F }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
  { 0x2060, 0x206F }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xD800, 0xF8FF }, { 0xFE00, 0xFE0F },
  { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFB }, { 0xE0000, 0x10FFFF },
}

---@param code integer
---@return boolean
local function is_hidden(code)
  for _, range in ipairs(hidden) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

--- Return the number of a character, given as its UTF-8 bytes; of the byte where they are none.
---@param char string
---@return integer
local function code_of(char)
  local first = char:byte()
  if #char == 1 then
    return first
  end
  local code = first % 2 ^ (7 - #char)
  for index = 2, #char do
    code = code * 64 + char:byte(index) % 64
  end
  return code
end

--- Write out what cannot be seen as ⟨U+202E⟩; line ends and tabs stay, and what glues an emoji together.
---@param text string
---@return string
function M.visible(text)
  if not text:find("[^\n\t\r\32-\126]") then
    return text
  end
  local before = 0
  return (
    text:gsub("[%z\1-\127\192-\247][\128-\191]*", function(char)
      local code = code_of(char)
      local glue = (code == 0x200D or code == 0xFE0F) and before >= 0x2300
      before = code
      return is_hidden(code) and not glue and ("⟨U+%04X⟩"):format(code) or nil
    end)
  )
end

--- Make one line of a text.
---@param text string
---@return string
function M.one_line(text)
  return (M.visible(text):gsub("\r\n?", "\n"):gsub("\n", "⏎"):gsub("\t", "⇥"))
end

--- Split into the lines of a buffer; CRLF and a lone CR end a line as well.
---@param text string
---@return string[]
function M.lines(text)
  return vim.split(text:gsub("\r\n", "\n"):gsub("\r", "\n"), "\n", { plain = true })
end

--- Shorten to so many screen cells.
---@param text string
---@param cells integer
---@return string
function M.clip(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local kept = vim.fn.strcharpart(text, 0, math.max(cells - 1, 0))
  while kept ~= "" and vim.fn.strdisplaywidth(kept) > cells - 1 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. "…"
end

--- Return a number with its noun.
---@param number integer
---@param noun string
---@return string
function M.count(number, noun)
  return ("%d %s%s"):format(number, noun, number == 1 and "" or "s")
end

--- Return the seconds since the epoch of a time of the wire (RFC 3339, UTC), or nil for what is none.
---@param stamp string
---@return integer?
function M.seconds(stamp)
  local found = { stamp:match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)") }
  if #found == 0 then
    return nil
  end
  local year, month, day, hour, minute, second = unpack(vim.tbl_map(tonumber, found))
  local march = (month + 9) % 12 -- years that begin with March have the leap day last
  local years = month <= 2 and year - 1 or year
  local days = 365 * years + math.floor(years / 4) - math.floor(years / 100) + math.floor(years / 400)
  days = days + math.floor((153 * march + 2) / 5) + day - 1 - 719468
  return ((days * 24 + hour) * 60 + minute) * 60 + second
end

--- Return how long ago a time of the wire was, in words.
---@param stamp string
---@param now? integer seconds since the epoch
---@return string
function M.ago(stamp, now)
  local seconds = (now or os.time()) - (M.seconds(stamp) or 0)
  if seconds < 90 then
    return "just now"
  elseif seconds < 90 * 60 then
    return ("%d minutes ago"):format(math.floor(seconds / 60 + 0.5))
  elseif seconds < 36 * 3600 then
    return ("%d hours ago"):format(math.floor(seconds / 3600 + 0.5))
  end
  return ("%d days ago"):format(math.floor(seconds / 86400 + 0.5))
end

return M

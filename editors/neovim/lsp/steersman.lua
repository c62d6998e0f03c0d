-- The configuration that `vim.lsp.enable("steersman")` finds; change it with `vim.lsp.config("steersman", { … })`.
return require("steersman.lsp").config()

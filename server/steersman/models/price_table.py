"""What models cost and hold, as far as it was public on ``AS_OF``. A help, not an authority: users override it.

US dollars for a million tokens: input, output, input read from the cache, input written to the cache ("-": as input);
then the context window in tokens. One line a model, without the date that providers append to names.
"""

from __future__ import annotations

from typing import Final

AS_OF: Final = "2026-07-24"

TABLE: Final = """
anthropic claude-opus-5               5      25     0.5    6.25   1000000
anthropic claude-opus-4-8             5      25     0.5    6.25   1000000
anthropic claude-opus-4-7             5      25     0.5    6.25   1000000
anthropic claude-opus-4-6             5      25     0.5    6.25   1000000
anthropic claude-opus-4-5             5      25     0.5    6.25    200000
anthropic claude-opus-4-1            15      75     1.5   18.75    200000
anthropic claude-opus-4              15      75     1.5   18.75    200000
anthropic claude-sonnet-5             2      10     0.2    2.5    1000000
anthropic claude-sonnet-4-6           3      15     0.3    3.75   1000000
anthropic claude-sonnet-4-5           3      15     0.3    3.75    200000
anthropic claude-sonnet-4             3      15     0.3    3.75    200000
anthropic claude-haiku-4-5            1       5     0.1    1.25    200000
anthropic claude-3-7-sonnet           3      15     0.3    3.75    200000
anthropic claude-3-haiku              0.25    1.25  0.03   0.3     200000
openai    gpt-5.6                     5      30     0.5    6.25   1050000
openai    gpt-5.6-sol                 5      30     0.5    6.25    400000
openai    gpt-5.6-terra               2.5    15     0.25   3.125   400000
openai    gpt-5.6-luna                1       6     0.1    1.25    400000
openai    gpt-5.5                     5      30     0.5    -      1050000
openai    gpt-5.5-pro                30     180     3      -      1050000
openai    gpt-5.4                     2.5    15     0.25   -      1050000
openai    gpt-5.4-mini                0.75    4.5   0.075  -       400000
openai    gpt-5.4-nano                0.2     1.25  0.02   -       400000
openai    gpt-5.4-pro                30     180     3      -      1050000
openai    gpt-5.3-codex               1.75   14     0.175  -       272000
openai    gpt-5.2                     1.75   14     0.175  -       272000
openai    gpt-5.2-codex               1.75   14     0.175  -       272000
openai    gpt-5.2-pro                21     168     -      -       272000
openai    gpt-5.1                     1.25   10     0.125  -       272000
openai    gpt-5.1-codex               1.25   10     0.125  -       272000
openai    gpt-5.1-codex-max           1.25   10     0.125  -       272000
openai    gpt-5.1-codex-mini          0.25    2     0.025  -       272000
openai    gpt-5                       1.25   10     0.125  -       272000
openai    gpt-5-codex                 1.25   10     0.125  -       272000
openai    gpt-5-pro                  15     120     -      -       272000
openai    gpt-5-mini                  0.25    2     0.025  -       272000
openai    gpt-5-nano                  0.05    0.4   0.005  -       272000
openai    gpt-4.1                     2       8     0.5    -      1047576
openai    gpt-4.1-mini                0.4     1.6   0.1    -      1047576
openai    gpt-4.1-nano                0.1     0.4   0.025  -      1047576
openai    gpt-4o                      2.5    10     1.25   -       128000
openai    gpt-4o-mini                 0.15    0.6   0.075  -       128000
openai    o3                          2       8     0.5    -       200000
openai    o3-mini                     1.1     4.4   0.55   -       200000
openai    o4-mini                     1.1     4.4   0.275  -       200000
gemini    gemini-3.6-flash            1.5     7.5   0.15   -      1048576
gemini    gemini-3.5-flash            1.5     9     0.15   -      1048576
gemini    gemini-3.5-flash-lite       0.3     2.5   0.03   -      1048576
gemini    gemini-3.1-pro-preview      2      12     0.2    -      1048576
gemini    gemini-3.1-flash-lite       0.25    1.5   0.025  -      1048576
gemini    gemini-3-flash-preview      0.5     3     0.05   -      1048576
gemini    gemini-2.5-pro              1.25   10     0.125  -      1048576
gemini    gemini-2.5-flash            0.3     2.5   0.03   -      1048576
gemini    gemini-2.5-flash-lite       0.1     0.4   0.01   -      1048576
deepseek  deepseek-v4-pro             0.435   0.87  0.0036 -      1000000
deepseek  deepseek-v4-flash           0.14    0.28  0.0028 -      1000000
deepseek  deepseek-chat               0.28    0.42  0.028  -       131072
deepseek  deepseek-reasoner           0.28    0.42  0.028  -       131072
mistral   mistral-large               0.5     1.5   -      -       262144
mistral   mistral-medium              1.5     7.5   -      -       262144
mistral   mistral-small               0.06    0.18  -      -       131072
mistral   devstral                    0.4     2     -      -       256000
mistral   devstral-medium             0.4     2     -      -       256000
mistral   devstral-small              0.1     0.3   -      -       256000
mistral   codestral-2508              0.3     0.9   -      -       256000
xai       grok-4.5                    2       6     0.5    -       500000
xai       grok-4.3                    1.25    2.5   0.2    -      1000000
xai       grok-4-1-fast               0.2     0.5   0.05   -      2000000
xai       grok-code-fast-1            0.2     1.5   0.02   -       256000
groq      openai/gpt-oss-120b         0.15    0.6   0.075  -       131072
groq      openai/gpt-oss-20b          0.075   0.3   0.0375 -       131072
groq      llama-3.3-70b-versatile     0.59    0.79  -      -       128000
groq      llama-3.1-8b-instant        0.05    0.08  -      -       128000
groq      qwen/qwen3-32b              0.29    0.59  -      -       131000
groq      moonshotai/kimi-k2-instruct 1       3     0.5    -       262144
"""

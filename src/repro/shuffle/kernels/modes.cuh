// Which cells an alignment begins and ends in, section 2.1, and what the codes of letters say: as the host numbers them.
#pragma once

constexpr int GLOBAL = 0, SEMI_GLOBAL = 1, LOCAL = 2;
constexpr int PAD = 5;  // after A, C, G, T and any other letter: what fills up in front

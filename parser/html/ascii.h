#pragma once

#include "parser/ascii.h"

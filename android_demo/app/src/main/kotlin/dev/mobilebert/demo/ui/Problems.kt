package dev.mobilebert.demo.ui

import androidx.compose.runtime.Composable
import androidx.compose.ui.res.stringResource
import dev.mobilebert.core.Problem
import dev.mobilebert.demo.R

/** Says what went wrong in the user's language. */
@Composable
fun describe(problem: Problem): String = when (problem) {
    Problem.NoModel -> stringResource(R.string.no_model)
    Problem.UnreadableModel -> stringResource(R.string.model_unreadable)
    Problem.NoRuntime -> stringResource(R.string.no_runtime)
    is Problem.WrongKind -> stringResource(R.string.wrong_kind, problem.kind, problem.needed)
    is Problem.MissingFile -> stringResource(R.string.file_missing, problem.name)
    is Problem.UnusableFile -> stringResource(R.string.file_unusable, problem.name)
    is Problem.OtherModelsFile -> stringResource(R.string.file_of_another_model, problem.name)
    Problem.UnknownTags -> stringResource(R.string.unknown_tags)
    Problem.NoUsableNumbers -> stringResource(R.string.no_usable_numbers)
    is Problem.QuestionTooLong -> stringResource(R.string.question_too_long, problem.length)
    Problem.NoText -> stringResource(R.string.no_text)
    Problem.NotEnoughMemory -> stringResource(R.string.not_enough_memory)
    is Problem.Unexpected -> stringResource(R.string.unexpected, problem.error)
}

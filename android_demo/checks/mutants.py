"""The faults that the tests must catch, each by the test that it names."""

from typing import NamedTuple

_CORE = "core/src/main/kotlin/dev/mobilebert/core/"
_APP = "app/src/main/kotlin/dev/mobilebert/demo/"
_MANIFEST = "app/src/main/AndroidManifest.xml"


class Mutant(NamedTuple):
    """A fault: in the file at `path`, `old` becomes `new`.

    `test` should fail, and has the form Class#function; "manifest", "build file" and "apk" are
    checks of their own.
    """

    what: str
    path: str
    old: str
    new: str
    test: str


def _core(what, file, old, new, test):
    return Mutant(what, f"{_CORE}{file}.kt", old, new, test)


def _app(what, file, old, new, test):
    return Mutant(what, f"{_APP}{file}.kt", old, new, test)


CORE = (
    _core("segments are all 0", "ModelInput", "if (it in second) 1 else 0", "0",
          "TextClassifierTest#saysWhetherTheTextWasCut"),
    _core("padding is not masked", "ModelInput", "if (it < ids.size) 1 else 0", "1",
          "QuestionAnswererTest#aShortPassageRunsTheShortestSignature"),
    _core("the question is cut one token early", "FeatureBuilder",
          "minOf(whole.size, settings.maxQuestionLength)",
          "minOf(whole.size, settings.maxQuestionLength - 1)",
          "FeatureBuilderTest#givesTheWindowsOfGooglesRunSquad"),
    _core("windows do not overlap", "FeatureBuilder", "begin += minOf(room, settings.stride)",
          "begin += room", "FeatureBuilderTest#givesTheWindowsOfGooglesRunSquad"),
    _core("ties are ordered by compareTo", "SpanDecoder",
          "if (a > b) -1 else if (a < b) 1 else 0", "b.compareTo(a)",
          "SpanDecoderTest#zerosOfBothSignsAreEqual"),
    _core("answers may be one token longer", "SpanDecoder", "first + settings.maxAnswerLength",
          "first + settings.maxAnswerLength + 1",
          "SpanDecoderTest#givesTheAnswersOfGooglesRunSquad"),
    _core("the null threshold is ignored", "QuestionAnswerer",
          "|| decoded.nullOdds > settings.nullThreshold", "",
          "QuestionAnswererTest#noAnswerIsOneToo"),
    _core("settings of model.json are ignored", "QuestionAnswerer",
          "settings ?: QuestionSettings.read(spec.settings)", "settings ?: QuestionSettings()",
          "QuestionAnswererTest#theSettingsOfTheModelCount"),
    _core("a character may be cut in two", "BertTokenizer",
          "Character.charCount(text.codePointAt(last))", "1",
          "BertTokenizerTest#halvesOfAPairThatMeetAfterCleaningAreNoPair"),
    _core("an old result stays beside a new request", "Presenter",
          "if (isLoaded) update(State.Waiting)", "",
          "PresenterTest#aResultMakesWayForTheNextRequestAtOnce"),
    _core("a cancelled request is shown", "Presenter",
          "if (newest.get() == number) update(state)", "update(state)",
          "PresenterTest#cancellingEndsTheWorkAtItsNextWindow"),
    _core("cancelling does not end the work", "Presenter",
          "if (newest.get() != number) throw CancellationException()", "",
          "PresenterTest#closingEndsTheWorkAndShowsNothingMore"),
    _core("the model stays open", "Presenter", "engine?.close()", "",
          "PresenterTest#closingEndsTheWorkAndShowsNothingMore"),
    _core("the first run counts in the median", "TimedRunner", "if (first == null) {",
          "if (first == null) {\n            latest.addLast(milliseconds)",
          "TimedRunnerTest#theFirstRunStandsApartFromTheMedian"),
    _core("the longest signature always runs", "ModelSpec",
          "lengths.firstOrNull { it > tokens } ?: length", "length",
          "TextClassifierTest#namesTheClassesAndRunsTheShortestSignature"),
    _core("a vocabulary of another size is taken", "ModelFiles", "vocabulary.pieces.size != known",
          "false", "ModelFilesTest#aVocabularyOfAnotherSizeIsRefused"),
    _core("an answer on the threshold stands", "Cascade", "confidence > settings.threshold",
          "confidence >= settings.threshold", "CascadeTest#theSecondAnswersWhereTheFirstIsNotSure"),
    _core("the models of a cascade are exchanged", "Cascade", "checksum !in known",
          "checksum !in known && checksum !in settings.checksums",
          "CascadeTest#isOfTheModelsForWhichTheThresholdWasChosen"),
    _core("lines are ranked worst first", "LineSearcher", "sortedByDescending { it.cosine }",
          "sortedBy { it.cosine }",
          "LineSearcherTest#linesAreRankedByCosineAndEqualOnesKeepTheirOrder"),
    _core("vectors are not scaled to length 1", "LineSearcher", "values[it] / norm", "values[it]",
          "LineSearcherTest#linesAreRankedByCosineAndEqualOnesKeepTheirOrder"),
    _core("I- never continues an entity", "EntityFinder", '"I-$type"', '"J-$type"',
          "EntityFinderTest#aSecondNameContinuesTheEntityAndAClitcIsItsOwnWord"),
    _core("the last of equal tags wins", "EntityFinder",
          "logits[first + label] > logits[first + best]",
          "logits[first + label] >= logits[first + best]",
          "TaggingParityTest#wordsWindowsAndEntitiesOfRandomTexts"),
)

APP = (
    _app("ids are written to every tensor", "LiteRtRunner", "inputs.getValue(name)",
         'inputs.getValue("ids")', "RealModelTest#theBestClassIsThatOfPredict"),
    _app("the model is never run", "LiteRtRunner", "model.run(given, outputs, signature)", "",
         "RealModelTest#theBestClassIsThatOfPredict"),
    _app("another model is opened", "Models", "open(app, Use.FIND, device)",
         "open(app, Use.CLASSIFY, device)", "FindTest#thatThereAreNoneIsSaid"),
    _app("the model runs on the main thread", "ModelSession", "Presenter(app.worker, app.main)",
         "Presenter({ it.run() }, app.main)", "AskTest#theWindowIsShownAndCancelEndsTheWork"),
    _app("the GPU's numbers are not compared", "Models", "isRight = openOnCpu",
         "isRight = true || openOnCpu", "ModelPageTest#thatTheCpuRunsInsteadIsSaid"),
    _app("the wanted device is called the real one", "Models",
         "if (onGpu == null) Device.CPU else Device.GPU", "wanted",
         "ModelPageTest#thatTheCpuRunsInsteadIsSaid"),
    _app("a change of the passage keeps the answer", "SavedText", "            onChange()\n", "",
         "AskTest#anAnswerIsOfTheTextsThatItWasGivenFor"),
    _app("a long passage stays in the saved state", "SavedText", "= 20_000", "= 20_000_000",
         "StateTest#aLongPassageIsKeptInAFile"),
    _app("a turned phone forgets the place of the text", "ui/AskScreen", "hint, place, modifier",
         "hint, rememberReadingPlace(), modifier",
         "StateTest#aTurnedPhoneShowsTheSamePlaceOfTheText"),
    _app("what was asked is forgotten with the process", "DemoViewModel",
         "if (done?.getBoolean(Use.ASK.name) == true) ask()", "",
         "StateTest#textsQuestionAnswerAndHistorySurvive"),
    _app("a shared text is ignored", "MainActivity", "Intent.ACTION_SEND ->", '"nothing" ->',
         "IntentsTest#aSharedTextIsThePassage"),
    _app("the mark is one letter short", "ui/AskScreen", "Mark(it.start, it.end,",
         "Mark(it.start, it.end - 1,", "AskTest#theAnswerIsMarkedWhereItStands"),
    _app("the answer's place is not scrolled to", "ui/Passage",
         "list.scrollToItem(part)", "",
         "AskTest#withALongPassageQuestionAnswerAndButtonStayOnTheScreen"),
    _app("the answer's line is not scrolled to", "ui/Passage",
         "if (!isSeen) list.animateScrollToItem(part, layout.getLineTop(line).toInt())", "",
         "AskTest#aLongParagraphIsScrolledToTheLineOfTheAnswer"),
    _app("an empty text takes one letter", "ui/TextPane",
         "                text.isEdited = true\n                text.value",
         "                text.value", "AskTest#aTextOfOnesOwnIsTypedAndThenRead"),
    _app("a shared file may be the app's own", "SharedFile",
         "file.scheme != ContentResolver.SCHEME_CONTENT", "file.scheme == null",
         "IntentsTest#aFileThatCannotBeReadIsSaidToBe"),
    _app("a model that could not be opened stays so", "ModelSession",
         "fun startAgain() {\n        close()\n", "fun startAgain() {\n",
         "ModelPageTest#aModelThatCouldNotBeOpenedIsTriedAgain"),
    _app("Enter does nothing", "ui/AskScreen", "KeyboardActions(onGo = { ask() })",
         "KeyboardActions(onGo = {})", "AskTest#onePressOfEnterRunsTheModelOnce"),
    _app("every letter typed is classified", "ui/ClassifyScreen", "delay(PAUSE_MILLISECONDS)", "",
         "ClassifyTest#classesAreShownAfterAPauseInTyping"),
    _app("problems are not told apart", "ui/Problems",
         "Problem.NoRuntime -> stringResource(R.string.no_runtime)",
         "Problem.NoRuntime -> stringResource(R.string.no_model)",
         "AskTest#whatIsWrongWithAModelIsSaid"),
    _app("the text covers the controls", "ui/TwoPanes", "text(Modifier.weight(1f).fillMaxWidth())",
         "text(Modifier.fillMaxSize())", "AskTest#theWindowIsShownAndCancelEndsTheWork"),
    _app("the bars cover the controls", "ui/DemoScreen",
         "Modifier.padding(padding).consumeWindowInsets(padding)", "Modifier",
         "WindowTest#controlsLieBetweenTheBars"),
    _app("the keyboard covers the button", "ui/DemoScreen", ".imePadding()", "",
         "WindowTest#theButtonStaysAboveTheKeyboard"),
    _app("the bars' symbols do not follow the theme", "MainActivity", "enableEdgeToEdge()", "",
         "WindowTest#theBarsHaveDarkSymbolsByDayAndLightOnesByNight"),
    _app("the wallpaper's colours are not taken", "ui/DemoTheme", "SDK_INT >= ANDROID_12",
         "SDK_INT < ANDROID_12", "WindowTest#theColoursAreThoseOfTheWallpaper"),
    _app("back leaves the app from a page", "ui/DemoScreen",
         "BackHandler(page != Page.USE) { model.show(Page.USE) }", "",
         "WindowTest#backLeavesThePageThatTheBarOpened"),
    _app("another app than the listening one is opened", "ui/SpeechButton",
         "Intent(RecognizerIntent.ACTION_RECOGNIZE_SPEECH)",
         "Intent(RecognizerIntent.ACTION_WEB_SEARCH)", "WindowTest#speechFillsTheQuestion"),
    Mutant("each text opens another instance", _MANIFEST, 'android:launchMode="singleTask"',
           'android:launchMode="standard"', "IntentsTest#theNextTextIsShownByTheSameScreens"),
    Mutant("another activity is opened", _MANIFEST, 'android:name=".MainActivity"',
           'android:name="androidx.activity.ComponentActivity"',
           "IntentsTest#aSharedTextIsThePassage"),
    Mutant("the namespace is another app's", "app/build.gradle.kts",
           'namespace = "dev.mobilebert.demo"', 'namespace = "dev.mobilebert.other"',
           "IntentsTest#aSharedTextIsThePassage"),
    Mutant("the build file has a name that AGP lacks", "app/build.gradle.kts",
           "isIncludeAndroidResources", "includeAndroidResources", "build file"),
    Mutant("the launcher does not open the app", _MANIFEST, "android.intent.category.LAUNCHER",
           "android.intent.category.HOME", "IntentsTest#theLauncherOpensTheApp"),
    Mutant("selected text is not taken", _MANIFEST, "android.intent.action.PROCESS_TEXT",
           "android.intent.action.VIEW", "IntentsTest#aSelectedTextIsThePassage"),
    Mutant("LiteRT's permission stays", _MANIFEST, "permission.FOREGROUND_SERVICE_DATA_SYNC",
           "permission.INTERNET", "manifest"),
    Mutant("models are compressed", "app/build.gradle.kts", 'noCompress += "tflite"',
           'noCompress += "bin"', "apk"),
)
